import type { NewEvent, PublishedEvent } from '@app/events';
import type { RepeatableRequest } from '@app/http';
import type { StreamTicket } from '@app/identity';
import { toWireTime } from '@app/kernel';
import type { PublishEventRequest } from './dto/execution-event.request.dto.js';
import type { PublishedEventResponse, StreamTicketResponse } from './dto/execution-event.response.dto.js';

/** The prefix separates the idempotency keys of clients from those of the platform's own events. */
export function toNewEvent(
  { event_type, data, timestamp }: PublishEventRequest,
  repeatable: Pick<RepeatableRequest, 'key' | 'digest'> | null,
): NewEvent {
  const dedupe: Partial<NewEvent> =
    repeatable === null ? {} : { dedupeKey: `client:${repeatable.key}`, digest: repeatable.digest };
  return { event_type, data: data ?? {}, ...(timestamp === undefined ? {} : { timestamp }), ...dedupe };
}

export function toPublishedEventResponse({
  event_id,
  execution_id,
  event_type,
}: PublishedEvent): PublishedEventResponse {
  return { success: true, event_id, execution_id, event_type };
}

export function toStreamTicketResponse({ ticket, expires_at }: StreamTicket): StreamTicketResponse {
  return { ticket, expires_at: toWireTime(expires_at) };
}
