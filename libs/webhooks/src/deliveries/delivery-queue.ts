import { Database } from '@app/database';
import { dispatchQueue } from '@app/dispatch';
import { createLogger } from '@app/observability';
import { InjectQueue } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import type { JobsOptions, Queue } from 'bullmq';
import type { WebhookRef } from './webhook-delivery.types.js';

export const WEBHOOK_DELIVERIES = 'webhook-deliveries';
export const webhookDeliveriesQueue = dispatchQueue(WEBHOOK_DELIVERIES);

/**
 * Wakes the processor of a webhook when deliveries are due. PostgreSQL decides what is due, so a lost, duplicate or
 * early wake-up does no harm. In a transaction, the wake-up is sent after the commit, because the processor would not see
 * the deliveries before. Delayed wake-ups of a webhook for the same second are combined.
 */
@Injectable()
export class DeliveryQueue {
  private readonly logger = createLogger('webhooks');

  constructor(
    @InjectQueue(WEBHOOK_DELIVERIES) private readonly queue: Queue<WebhookRef>,
    private readonly database: Database,
  ) {}

  /** Never rejects, and neither does `wakeAfter`: `DeliverySweepTask` wakes webhooks whose wake-up was lost. */
  async wake(webhook: WebhookRef): Promise<void> {
    await this.add(webhook, {});
  }

  /** Wakes for deliveries that are due later. */
  async wakeAfter(webhook: WebhookRef, now: Date, delaySeconds: number): Promise<void> {
    const second = Math.ceil(now.getTime() / 1000) + delaySeconds;
    const jobId = `${webhook.webhookId}-${second}`;
    await this.add(webhook, { jobId, delay: second * 1000 - now.getTime() });
  }

  private async add(webhook: WebhookRef, options: JobsOptions): Promise<void> {
    await this.database.committed(async () => {
      try {
        await this.queue.add('deliver', webhook, options);
      } catch (error) {
        this.logger.debug({ reason: (error as Error).message }, 'webhook not woken');
      }
    });
  }
}
