import { RetentionConfig, retentionLimit } from '@app/config';
import { PeriodicTask } from '@app/dispatch';
import { Clock } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { WebhookDeliveryRepository } from './webhook-delivery.repository.js';

const BATCH_SIZE = 500;

/** Deletes deliveries that have ended and are older than the retention period, and events without deliveries. */
@Injectable()
export class DeliveryRetentionTask {
  constructor(
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly config: RetentionConfig,
    private readonly clock: Clock,
  ) {}

  @PeriodicTask(CronExpression.EVERY_10_MINUTES, 'webhooks.prune')
  async run(signal: AbortSignal): Promise<void> {
    const createdBefore = retentionLimit(this.clock.now(), this.config.deliveryDays);
    if (createdBefore === undefined) return;
    while (!signal.aborted && (await this.deliveries.prune(createdBefore, BATCH_SIZE)) === BATCH_SIZE);
    while (!signal.aborted && (await this.deliveries.pruneEvents(createdBefore, BATCH_SIZE)) === BATCH_SIZE);
  }
}
