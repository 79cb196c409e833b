import { WebhooksConfig } from '@app/config';
import { Clock } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { WebhookRepository } from '../webhook.repository.js';
import { DeliveryQueue } from './delivery-queue.js';
import { WebhookDeliveryRepository } from './webhook-delivery.repository.js';

/**
 * Limits the pending deliveries of a subscriber that does not respond. Without a limit, they would accumulate for three
 * days, until the last attempt of the first delivery has failed.
 */
@Injectable()
export class DeliveryBacklog {
  private readonly logger = createLogger('webhooks');

  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly queue: DeliveryQueue,
    private readonly config: WebhooksConfig,
    private readonly clock: Clock,
  ) {}

  /**
   * Disables webhooks with too many pending deliveries. The processor then marks these deliveries as failed; they can
   * be replayed.
   */
  async disableOverfull(): Promise<void> {
    const { maxPending } = this.config;
    if (maxPending === 0) return;
    const disabled_reason = `More than ${maxPending} deliveries were pending`;
    for (const { organizationId, webhookId } of await this.deliveries.findOverfullWebhooks(maxPending)) {
      const change = { status: 'disabled', disabled_reason, updated_at: this.clock.now() } as const;
      await this.webhooks.update({ organizationId }, webhookId, change);
      await this.queue.wake(organizationId);
      this.logger.warn({ webhook_id: webhookId, organization_id: organizationId }, 'webhook disabled by its backlog');
    }
  }
}
