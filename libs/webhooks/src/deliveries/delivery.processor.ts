import { Clock } from '@app/kernel';
import { Processor, WorkerHost } from '@nestjs/bullmq';
import { DelayedError, type Job } from 'bullmq';
import { DeliveryAttempts } from './delivery-attempts.js';
import { DeliveryQueue, WEBHOOK_DELIVERIES } from './delivery-queue.js';
import type { WebhookRef } from './webhook-delivery.types.js';
import { Turns } from './turns.js';

/** Number of webhooks that a process serves concurrently. High, because serving is mostly waiting for responses. */
const CONCURRENCY = 128;
/** Maximum number of these webhooks that belong to one organization; fewer if many organizations are served. */
const PER_ORGANIZATION = 8;
const BUSY_RETRY_MS = 500;

/**
 * Serves a webhook whose deliveries may be due. A process does not serve a webhook twice at the same time: a wake-up
 * meanwhile makes the processor serve the webhook again afterwards.
 */
@Processor(WEBHOOK_DELIVERIES, { concurrency: CONCURRENCY })
export class DeliveryProcessor extends WorkerHost {
  private readonly served = new Map<string, { again: boolean }>();
  private readonly turns = new Turns(CONCURRENCY, PER_ORGANIZATION);

  constructor(
    private readonly attempts: DeliveryAttempts,
    private readonly queue: DeliveryQueue,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async process(job: Job<WebhookRef>, token?: string): Promise<void> {
    const { data: webhook } = job;
    const current = this.served.get(webhook.webhookId);
    if (current !== undefined) {
      current.again = true;
      return;
    }
    if (!this.turns.acquire(webhook.organizationId)) {
      await job.moveToDelayed(this.clock.millis() + BUSY_RETRY_MS, token);
      throw new DelayedError();
    }
    try {
      await this.serve(webhook);
    } finally {
      this.turns.release(webhook.organizationId);
    }
  }

  private async serve(webhook: WebhookRef): Promise<void> {
    const state = { again: false };
    this.served.set(webhook.webhookId, state);
    let hasMore: boolean;
    try {
      hasMore = await this.attempts.run(webhook);
    } finally {
      this.served.delete(webhook.webhookId);
    }
    if (hasMore || state.again) await this.queue.wake(webhook);
  }
}
