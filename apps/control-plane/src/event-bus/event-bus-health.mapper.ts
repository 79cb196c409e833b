import type { BusHealth, ProviderHealth } from '@app/events';
import { toWireTime } from '@app/kernel';
import type { EventBusHealthResponse, EventProviderHealthResponse } from './dto/event-bus-health.response.dto.js';

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
