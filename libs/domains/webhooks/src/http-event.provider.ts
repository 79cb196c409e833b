import { UnreadLogs, LogFollower, type ExecutionRef, type LoggedEvent } from '@app/events';
import { ExecutionSummaryService } from '@app/executions';
import { Injectable } from '@nestjs/common';
import { isFollowed, isSourceFollowed, type EventSource } from './deliveries/delivery-request.js';
import { NewDeliveries } from './deliveries/new-deliveries.js';
import { WebhookRepository } from './webhook.repository.js';

/**
 * Turns events into deliveries to the webhooks that follow them. The deliveries are stored, then sent by
 * `DeliveryProcessor`.
 */
@Injectable()
export class HttpEventProvider extends LogFollower {
  override readonly name = 'http';
  override readonly enabled = true;

  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly deliveries: NewDeliveries,
    private readonly executions: ExecutionSummaryService,
    private readonly logs: UnreadLogs,
  ) {
    super();
  }

  override async deliver(execution: ExecutionRef, events: readonly LoggedEvent[]): Promise<void> {
    const active = await this.webhooks.findActive(execution);
    const due = active
      .map((webhook) => ({ webhook, followed: events.filter((event) => isFollowed(webhook, event)) }))
      .filter(({ followed }) => followed.length > 0);
    // Most events are chunks of messages, which few webhooks follow.
    if (due.length === 0) return;
    const source = await this.sourceOf(execution);
    const followings = due.filter(({ webhook }) => isSourceFollowed(webhook, source));
    if (followings.length > 0) await this.deliveries.store(followings, source);
  }

  /** Reads from PostgreSQL and Redis, on which deliveries depend. */
  override async probe(): Promise<void> {
    await Promise.all([this.webhooks.ping(), this.logs.ping()]);
  }

  /**
   * Returns the source of the events of an execution. Events of an execution that was deleted meanwhile are still
   * delivered to webhooks that filter neither by job nor by agent.
   */
  private async sourceOf({ organizationId, executionId }: ExecutionRef): Promise<EventSource> {
    const page = { skip: 0, limit: 1, total: false };
    const { items } = await this.executions.list({ organizationId }, { ids: [executionId] }, '-created_at', page);
    const [execution] = items;
    return {
      organization_id: organizationId,
      execution_id: executionId,
      job_id: execution?.job_id ?? null,
      entity_type: execution?.execution_type ?? null,
      entity_id: execution?.entity_id ?? null,
    };
  }
}
