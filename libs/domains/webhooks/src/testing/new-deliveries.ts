import { newId } from '@app/kernel';
import type { NewDeliveries } from '../deliveries/webhook-delivery.types.js';

/** Returns deliveries of each event, which is named by its id, to each webhook. */
export function newDeliveries(
  organizationId: string,
  webhookIds: readonly string[],
  eventIds: readonly string[],
  body = '{}',
): NewDeliveries {
  return {
    organizationId,
    executionId: 'e',
    events: eventIds.map((event_id) => ({ event_id, event_type: 'done', body })),
    deliveries: eventIds.flatMap((event_id) => webhookIds.map((webhook_id) => ({ id: newId(), webhook_id, event_id }))),
  };
}
