import { Clock } from '@app/kernel';
import { Processor, WorkerHost } from '@nestjs/bullmq';
import { DelayedError, type Job } from 'bullmq';
import { DeliveryAttempts } from './delivery-attempts.js';
import { DeliveryQueue, WEBHOOK_DELIVERIES } from './delivery-queue.js';
import type { WebhookRef } from './delivery.types.js';

/** Webhooks that are served at the same time in one process. Mostly they wait for their subscribers. */
const CONCURRENCY = 128;
/** Of these, webhooks of one organization: its slow subscribers leave room for those of others. */
const PER_ORGANIZATION = 8;
const BUSY_RETRY_MS = 500;

/** Serves a webhook whose deliveries may be due. A webhook is served once at a time; a wake-up meanwhile repeats it. */
@Processor(WEBHOOK_DELIVERIES, { concurrency: CONCURRENCY })
export class DeliveryProcessor extends WorkerHost {
  private readonly served = new Map<string, { again: boolean }>();
  private readonly byOrganization = new Map<string, number>();

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
    const serving = this.byOrganization.get(webhook.organizationId) ?? 0;
    if (serving >= PER_ORGANIZATION) {
      await job.moveToDelayed(this.clock.millis() + BUSY_RETRY_MS, token);
      throw new DelayedError();
    }
    this.byOrganization.set(webhook.organizationId, serving + 1);
    try {
      await this.serve(webhook);
    } finally {
      this.leave(webhook.organizationId);
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

  private leave(organizationId: string): void {
    const serving = (this.byOrganization.get(organizationId) ?? 1) - 1;
    if (serving > 0) this.byOrganization.set(organizationId, serving);
    else this.byOrganization.delete(organizationId);
  }
}
