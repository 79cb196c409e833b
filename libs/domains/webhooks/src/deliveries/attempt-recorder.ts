import { WebhooksConfig } from '@app/config';
import { Clock } from '@app/kernel';
import { createCounter } from '@app/metrics';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { WebhookRepository } from '../webhook.repository.js';
import type { Webhook } from '../webhook.types.js';
import { DeliveryQueue } from './delivery-queue.js';
import { retryDelayMs } from './retry-delay.js';
import { WebhookDeliveryRepository } from './webhook-delivery.repository.js';
import type { AttemptResult, ClaimedDelivery } from './webhook-delivery.types.js';

const attempts = createCounter(
  'platform_webhook_delivery_attempts_total',
  'Attempts to deliver an event to a webhook',
  {
    result: ['delivered', 'retried', 'failed'] as const,
  },
);

const GONE = 410;
const GONE_REASON = 'The subscriber responded with status 410';

/** Stores the results of delivery attempts, and when the next attempt of a failed one is due. */
@Injectable()
export class AttemptRecorder {
  private readonly logger = createLogger('webhooks');

  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly queue: DeliveryQueue,
    private readonly config: WebhooksConfig,
    private readonly clock: Clock,
  ) {}

  /** Also disables the webhook if the subscriber responded that the URL is gone. */
  async record(webhook: Webhook, delivery: ClaimedDelivery, result: AttemptResult): Promise<void> {
    if (result.response_status === GONE) await this.disable(webhook);
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
    const longest = Math.max(...this.config.retryDelays);
    const dueAt = new Date(now.getTime() + retryDelayMs({ delay, longest }, result, now, Math.random()));
    await this.deliveries.record(delivery, { ...result, next_attempt_at: dueAt });
    await this.queue.wakeAt(webhook.organization_id, now, dueAt);
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
