import { PeriodicTask } from '@app/dispatch';
import { Clock } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { JobWebhookMessageRepository } from './job-webhook-message.repository.js';

const BATCH_SIZE = 500;

/** Deletes expired ids of webhook messages. Needed because a call only deletes those of its own job. */
@Injectable()
export class JobWebhookMessagePruneTask {
  constructor(
    private readonly messages: JobWebhookMessageRepository,
    private readonly clock: Clock,
  ) {}

  @PeriodicTask(CronExpression.EVERY_10_MINUTES, 'jobs.prune_webhook_messages')
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.messages.prune(this.clock.now(), BATCH_SIZE)) === BATCH_SIZE);
  }
}
