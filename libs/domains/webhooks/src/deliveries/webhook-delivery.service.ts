import { Clock, type Page, type PageResult, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { deliveryNotFound, deliveryPending, webhookDisabled } from '../webhook.errors.js';
import { WebhookService } from '../webhook.service.js';
import type { Webhook } from '../webhook.types.js';
import { DeliveryQueue } from './delivery-queue.js';
import { WebhookDeliveryRepository } from './webhook-delivery.repository.js';
import { NewDeliveries } from './new-deliveries.js';
import type { WebhookDelivery, DeliveryFilter, DeliverySummary, ReplayRange } from './webhook-delivery.types.js';

/** Maximum number of deliveries that one request replays. */
export const MAX_REPLAYED = 1000;

/** Reads the delivery log of webhooks, and makes deliveries due. Dispatchers send the due deliveries. */
@Injectable()
export class WebhookDeliveryService {
  constructor(
    private readonly webhooks: WebhookService,
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly created: NewDeliveries,
    private readonly queue: DeliveryQueue,
    private readonly clock: Clock,
  ) {}

  /** Newest first. Throws `not_found` for an unknown webhook. */
  async list(
    scope: Scope,
    webhookId: string,
    filter: DeliveryFilter,
    page: Page,
  ): Promise<PageResult<DeliverySummary>> {
    const { id } = await this.webhooks.read(scope, webhookId);
    return this.deliveries.list({ organizationId: scope.organizationId, webhookId: id }, filter, page);
  }

  async read(scope: Scope, id: string): Promise<WebhookDelivery> {
    const delivery = await this.deliveries.find(scope, id);
    if (delivery === undefined) throw deliveryNotFound();
    return delivery;
  }

  /** Sends a `ping`. It is attempted once. */
  async test(scope: Scope, webhookId: string): Promise<WebhookDelivery> {
    const id = await this.created.storePing(await this.readActive(scope, webhookId));
    return this.read(scope, id);
  }

  /** Delivers an ended delivery again, with the same id. Throws `conflict` if it has not ended. */
  async replay(scope: Scope, id: string): Promise<WebhookDelivery> {
    const { webhook_id: webhookId } = await this.read(scope, id);
    await this.readActive(scope, webhookId);
    const changes = { status: 'pending', attempts: 0, next_attempt_at: this.clock.now() } as const;
    const isDue = await this.deliveries.updateEnded(scope, id, changes);
    const delivery = await this.read(scope, id);
    if (!isDue) throw deliveryPending();
    await this.queue.wake(scope.organizationId);
    return delivery;
  }

  /** Delivers the deliveries of a time range again, oldest first and at most `MAX_REPLAYED`. Returns their number. */
  async replayRange(scope: Scope, webhookId: string, range: ReplayRange): Promise<number> {
    const { id } = await this.readActive(scope, webhookId);
    const webhook = { organizationId: scope.organizationId, webhookId: id };
    const replayed = await this.deliveries.replay(webhook, range, this.clock.now(), MAX_REPLAYED);
    await this.queue.wake(scope.organizationId);
    return replayed;
  }

  private async readActive(scope: Scope, webhookId: string): Promise<Webhook> {
    const webhook = await this.webhooks.read(scope, webhookId);
    if (webhook.status !== 'active') throw webhookDisabled();
    return webhook;
  }
}
