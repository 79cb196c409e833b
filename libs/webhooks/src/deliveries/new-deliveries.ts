import { WebhooksConfig } from '@app/config';
import type { LoggedEvent } from '@app/events';
import { Clock, newId } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { Webhook } from '../webhook.types.js';
import { DeliveryQueue } from './delivery-queue.js';
import { bodyOf, pingBody, type EventSource } from './delivery-request.js';
import { WebhookDeliveryRepository } from './webhook-delivery.repository.js';
import type { NewDelivery } from './webhook-delivery.types.js';

/** Stores deliveries and wakes their processor. */
@Injectable()
export class NewDeliveries {
  constructor(
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly queue: DeliveryQueue,
    private readonly config: WebhooksConfig,
    private readonly clock: Clock,
  ) {}

  /** Idempotent: stores one delivery for each event. */
  async store(webhook: Webhook, events: readonly LoggedEvent[], source: EventSource): Promise<void> {
    const { id: webhook_id, organization_id } = webhook;
    const deliveries = events.map((event) => ({
      id: newId(),
      organization_id,
      webhook_id,
      event_id: event.id,
      event_type: event.type,
      execution_id: source.execution_id,
      body: bodyOf(event, source),
    }));
    const [delaySeconds = 0] = this.config.retryDelays;
    await this.insert(webhook, deliveries, delaySeconds);
  }

  /** Stores a test, which is attempted once. Returns its id. */
  async storePing(webhook: Webhook): Promise<string> {
    const { id: webhook_id, organization_id } = webhook;
    const [id, body] = [newId(), pingBody(webhook, this.clock.now())];
    const event = { event_id: null, event_type: 'ping', execution_id: null };
    await this.insert(webhook, [{ id, organization_id, webhook_id, ...event, body }], 0);
    return id;
  }

  private async insert(
    { id, organization_id }: Webhook,
    deliveries: readonly NewDelivery[],
    delaySeconds: number,
  ): Promise<void> {
    const now = this.clock.now();
    await this.deliveries.insertMissing(deliveries, now, new Date(now.getTime() + delaySeconds * 1000));
    const webhook = { organizationId: organization_id, webhookId: id };
    if (delaySeconds === 0) await this.queue.wake(webhook);
    else await this.queue.wakeAfter(webhook, now, delaySeconds);
  }
}
