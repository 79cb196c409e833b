import { WebhooksConfig } from '@app/config';
import { Clock } from '@app/kernel';
import { createCounter } from '@app/metrics';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { WebhookRepository } from '../webhook.repository.js';
import type { Webhook } from '../webhook.types.js';
import { headersOf } from './delivery-request.js';
import { DeliveryQueue } from './delivery-queue.js';
import { DeliverySender } from './delivery-sender.js';
import { WebhookDeliveryRepository } from './webhook-delivery.repository.js';
import type { AttemptResult, ClaimedDelivery, WebhookDelivery, WebhookRef } from './webhook-delivery.types.js';

/** Number of concurrent requests to one subscriber, per process. */
const BATCH_SIZE = 8;
/** Number of batches after which other webhooks are served. */
const BATCHES_PER_TURN = 10;
/** Other webhooks are also served after a batch that took this long, so that slow subscribers do not delay others. */
const SLOW_BATCH_MS = 1000;
/** Number of deliveries of a disabled webhook that one statement ends. */
const FAIL_BATCH_SIZE = 1000;
/** Time to record a result after the time limit of the request. */
const RECORD_MS = 5000;

const attempts = createCounter(
  'platform_webhook_delivery_attempts_total',
  'Attempts to deliver an event to a webhook',
  {
    result: ['delivered', 'retried', 'failed'] as const,
  },
);

const GONE = 410;
const GONE_REASON = 'The subscriber responded with status 410';

/** Makes the due delivery attempts of one webhook. */
@Injectable()
export class DeliveryAttempts {
  private readonly logger = createLogger('webhooks');

  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly sender: DeliverySender,
    private readonly queue: DeliveryQueue,
    private readonly config: WebhooksConfig,
    private readonly clock: Clock,
  ) {}

  /** Returns whether more deliveries may be due. */
  async run(ref: WebhookRef): Promise<boolean> {
    for (let batch = 0; batch < BATCHES_PER_TURN; batch += 1) {
      const webhook = await this.webhooks.find(ref, ref.webhookId);
      if (webhook === undefined) return false;
      if (webhook.status !== 'active') {
        return this.failPending(ref, webhook.disabled_reason ?? 'The webhook is disabled');
      }
      const now = this.clock.now();
      const leaseEnd = new Date(now.getTime() + this.config.timeoutMs + RECORD_MS);
      const claimed = await this.deliveries.claim(ref, now, leaseEnd, BATCH_SIZE);
      await Promise.all(claimed.map((delivery) => this.attempt(webhook, delivery)));
      if (claimed.length < BATCH_SIZE) return false;
      if (this.clock.millis() - now.getTime() > SLOW_BATCH_MS) return true;
    }
    return true;
  }

  private async failPending(ref: WebhookRef, reason: string): Promise<boolean> {
    for (let batch = 0; batch < BATCHES_PER_TURN; batch += 1) {
      if ((await this.deliveries.failPending(ref, reason, FAIL_BATCH_SIZE)) < FAIL_BATCH_SIZE) return false;
    }
    return true;
  }

  private async attempt(webhook: Webhook, delivery: ClaimedDelivery): Promise<void> {
    const headers = headersOf(webhook, delivery.id, delivery.body, this.clock.now());
    const result = { ...(await this.sender.send(webhook.url, headers, delivery.body)), request_headers: headers };
    if (result.response_status === GONE) await this.disable(webhook);
    await this.record(webhook, delivery, result);
  }

  private async record(webhook: Webhook, delivery: ClaimedDelivery, result: AttemptResult): Promise<void> {
    const ended = { ...result, next_attempt_at: null };
    if (result.error === null) {
      attempts.inc({ result: 'delivered' });
      return this.deliveries.record(delivery, { ...ended, status: 'delivered' });
    }
    const delay = this.config.retryDelays[delivery.attempts];
    const isRetried = delay !== undefined && delivery.event_id !== null && result.response_status !== GONE;
    attempts.inc({ result: isRetried ? 'retried' : 'failed' });
    if (!isRetried) return this.deliveries.record(delivery, { ...ended, status: 'failed' });
    const now = this.clock.now();
    const retry: Partial<WebhookDelivery> = { ...result, next_attempt_at: new Date(now.getTime() + delay * 1000) };
    await this.deliveries.record(delivery, retry);
    await this.queue.wakeAfter({ organizationId: webhook.organization_id, webhookId: webhook.id }, now, delay);
  }

  /**
   * Disables the webhook, unless its URL was changed since the attempt, because then the response came from the old
   * URL.
   */
  private async disable({ id, organization_id, url }: Webhook): Promise<void> {
    const scope = { organizationId: organization_id };
    const now = this.clock.now();
    const change = { status: 'disabled', disabled_reason: GONE_REASON, updated_at: now } as const;
    if ((await this.webhooks.updateIfAt(scope, id, url, change)) === undefined) return;
    this.logger.info({ webhook_id: id, ...scope }, 'webhook disabled by its subscriber');
  }
}
