import { ResponseBoolean, ResponseNumber, ResponseNested, ResponseString, ResponseTime } from '@app/http';

export class EventProviderHealthResponse {
  @ResponseBoolean({ description: 'Whether the provider is configured' })
  readonly enabled!: boolean;

  @ResponseBoolean({ nullable: true, description: 'Whether the provider works; null if it is not enabled' })
  readonly healthy!: boolean | null;

  @ResponseString({ enum: ['healthy', 'unhealthy', 'disabled'], description: 'Same as `healthy`, as text' })
  readonly status!: string;

  @ResponseNumber({
    nullable: true,
    description: 'Round-trip time through the provider in milliseconds; null if unknown',
  })
  readonly latency_ms!: number | null;
}

export class EventProvidersHealthResponse {
  @ResponseNested(EventProviderHealthResponse, { description: 'Redis, which stores and delivers events' })
  readonly redis!: EventProviderHealthResponse;

  @ResponseNested(EventProviderHealthResponse, { description: 'Delivery by HTTP' })
  readonly http!: EventProviderHealthResponse;

  @ResponseNested(EventProviderHealthResponse, { description: 'Delivery by WebSocket' })
  readonly websocket!: EventProviderHealthResponse;

  @ResponseNested(EventProviderHealthResponse, { description: 'Delivery by NATS' })
  readonly nats!: EventProviderHealthResponse;
}

export class EventBusHealthResponse {
  @ResponseString({
    enum: ['healthy', 'degraded', 'unhealthy'],
    description:
      '`healthy`: every enabled provider works; `degraded`: one other than Redis fails; `unhealthy`: Redis fails',
  })
  readonly status!: string;

  @ResponseNested(EventProvidersHealthResponse, { description: 'Health by provider' })
  readonly providers!: EventProvidersHealthResponse;

  @ResponseTime({ description: 'Time of the check' })
  readonly timestamp!: string;
}
