import { UnreadLogs } from '@app/events';
import { PeriodicTask } from '@app/dispatch';
import {
  ExecutionSummaryService,
  OPEN_STATUSES,
  type ExecutionSummaryFilter,
  type SummaryOrder,
} from '@app/executions';
import { Clock } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { WebhookRepository } from './webhook.repository.js';

const BATCH_SIZE = 500;
/**
 * Milliseconds for which ended executions are considered. `UnreadLogRecorder` fails to record an execution only if the
 * process that publishes its events dies. The execution was then open or had just ended.
 */
const LOOK_BACK_MS = 180_000;

/**
 * Restores lost data in Redis: which organizations have webhooks, and the unread logs (see `UnreadLogs`) of those of
 * their executions that may have new events. An execution without new events costs one read.
 */
@Injectable()
export class WebhookFollowTask {
  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly executions: ExecutionSummaryService,
    private readonly logs: UnreadLogs,
    private readonly clock: Clock,
  ) {}

  @PeriodicTask(CronExpression.EVERY_MINUTE, 'webhooks.follow')
  async run(signal: AbortSignal): Promise<void> {
    const organizationIds = await this.webhooks.findFollowingOrganizations();
    await this.logs.followOnly('http', organizationIds);
    const since = new Date(this.clock.millis() - LOOK_BACK_MS);
    for (const organizationId of organizationIds) {
      await this.addAll(organizationId, { statuses: OPEN_STATUSES }, '-created_at', signal);
      await this.addAll(organizationId, { from: since }, '-completed_at', signal);
    }
  }

  private async addAll(
    organizationId: string,
    filter: ExecutionSummaryFilter,
    order: SummaryOrder,
    signal: AbortSignal,
  ): Promise<void> {
    let cursor: string | undefined;
    do {
      if (signal.aborted) return;
      const page = { skip: 0, limit: BATCH_SIZE, total: false, ...(cursor === undefined ? {} : { cursor }) };
      const { items, nextCursor } = await this.executions.list({ organizationId }, filter, order, page);
      await this.logs.add(
        'http',
        items.map(({ id }) => ({ organizationId, executionId: id })),
      );
      cursor = nextCursor;
    } while (cursor !== undefined);
  }
}
