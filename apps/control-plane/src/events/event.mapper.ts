import type { BusHealth, NewEvent, ProviderHealth, PublishedEvent } from '@app/events';
import type { RepeatableRequest } from '@app/http';
import { toWireTime } from '@app/kernel';
import type { PublishEventRequest } from './dto/event.request.dto.js';
import type {
  EventBusHealthResponse,
  EventProviderHealthResponse,
  PublishedEventResponse,
} from './dto/event.response.dto.js';

/** A client's names for its events can not be those the platform gives its own. */
export function toNewEvent(
  { event_type, data, timestamp }: PublishEventRequest,
  repeatable: RepeatableRequest | null,
): NewEvent {
  return {
    event_type,
    data: data ?? {},
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(repeatable === null ? {} : { once: `client:${repeatable.key}`, digest: repeatable.digest }),
  };
}

export function toPublishedEventResponse({
  event_id,
  execution_id,
  event_type,
}: PublishedEvent): PublishedEventResponse {
  return { success: true, event_id, execution_id, event_type };
}

export function toEventBusHealthResponse({ status, providers, timestamp }: BusHealth): EventBusHealthResponse {
  return {
    status,
    providers: {
      redis: toProvider(providers.redis),
      http: toProvider(providers.http),
      websocket: toProvider(providers.websocket),
      nats: toProvider(providers.nats),
    },
    timestamp: toWireTime(timestamp),
  };
}

function toProvider({ enabled, healthy, status, latency_ms }: ProviderHealth): EventProviderHealthResponse {
  return { enabled, healthy, status, latency_ms };
}
