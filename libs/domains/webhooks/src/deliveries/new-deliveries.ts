import { WebhooksConfig } from '@app/config';
import type { LoggedEvent } from '@app/events';
import { Clock, newId } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { Webhook } from '../webhook.types.js';
import { DeliveryQueue } from './delivery-queue.js';
import { DeliveryStorage } from './delivery-storage.js';
import { bodyOf, pingBody, type EventSource } from './delivery-request.js';
import { WebhookDeliveryRepository } from './webhook-delivery.repository.js';
import type { NewDelivery } from './webhook-delivery.types.js';

/** Maximum number of deliveries in one statement, unless one event has more. */
const MAX_ROWS = 2000;

/** A webhook with the events that it follows. */
export interface Following {
  readonly webhook: Webhook;
  readonly followed: readonly LoggedEvent[];
}

/** Stores deliveries and wakes their processor. */
@Injectable()
export class NewDeliveries {
  constructor(
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly storage: DeliveryStorage,
    private readonly queue: DeliveryQueue,
    private readonly config: WebhooksConfig,
    private readonly clock: Clock,
  ) {}

  /** Idempotent: stores each event once, with one delivery for each webhook that follows it. */
  async store(followings: readonly Following[], source: EventSource): Promise<void> {
    const { organization_id: organizationId, execution_id: executionId } = source;
    const now = this.clock.now();
    const dueAt = new Date(now.getTime() + (this.config.retryDelays[0] ?? 0) * 1000);
    for (const group of groupsOf(followings)) {
      const events = group.map(({ event }) => ({
        event_id: event.id,
        event_type: event.type,
        body: bodyOf(event, source),
      }));
      const deliveries = group.flatMap(({ deliveries: own }) => own);
      await this.storage.store({ organizationId, executionId, events, deliveries }, now, dueAt);
    }
    if (dueAt <= now) await this.queue.wake(organizationId);
    else await this.queue.wakeAt(organizationId, now, dueAt);
  }

  /** Stores a test, which is attempted once. Returns its id. */
  async storePing(webhook: Webhook): Promise<string> {
    const id = newId();
    const now = this.clock.now();
    await this.deliveries.insertTest(webhook, id, pingBody(webhook, now), now);
    await this.queue.wake(webhook.organization_id);
    return id;
  }
}

interface EventGroup {
  readonly event: LoggedEvent;
  readonly deliveries: NewDelivery[];
}

/** Returns the followed events with their deliveries, in groups of at most `MAX_ROWS` deliveries. */
function groupsOf(followings: readonly Following[]): EventGroup[][] {
  const byEvent = new Map<string, EventGroup>();
  for (const { webhook, followed } of followings) {
    for (const event of followed) {
      const group = byEvent.get(event.id) ?? { event, deliveries: [] };
      group.deliveries.push({ id: newId(), webhook_id: webhook.id, event_id: event.id });
      byEvent.set(event.id, group);
    }
  }
  const groups: EventGroup[][] = [];
  let rows = Infinity;
  for (const each of byEvent.values()) {
    if (rows + each.deliveries.length > MAX_ROWS) {
      groups.push([]);
      rows = 0;
    }
    groups.at(-1)?.push(each);
    rows += each.deliveries.length;
  }
  return groups;
}
