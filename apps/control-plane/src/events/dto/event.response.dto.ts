import { OutBoolean, OutNumber, OutOne, OutString, OutTime } from '@app/http';

export class PublishedEventResponse {
  @OutBoolean()
  readonly success!: boolean;

  @OutString({ description: '{execution_id}_{counter}_{unix_micros}; the counter has no gap within an execution' })
  readonly event_id!: string;

  @OutString()
  readonly execution_id!: string;

  @OutString()
  readonly event_type!: string;
}

export class EventProviderHealthResponse {
  @OutBoolean()
  readonly enabled!: boolean;

  @OutBoolean({ nullable: true, description: 'null where the provider is not enabled' })
  readonly healthy!: boolean | null;

  @OutString({ enum: ['healthy', 'unhealthy', 'disabled'] })
  readonly status!: string;

  @OutNumber({ nullable: true, description: 'Milliseconds of a round trip through the provider' })
  readonly latency_ms!: number | null;
}

export class EventProvidersHealthResponse {
  @OutOne(EventProviderHealthResponse)
  readonly redis!: EventProviderHealthResponse;

  @OutOne(EventProviderHealthResponse)
  readonly http!: EventProviderHealthResponse;

  @OutOne(EventProviderHealthResponse)
  readonly websocket!: EventProviderHealthResponse;

  @OutOne(EventProviderHealthResponse)
  readonly nats!: EventProviderHealthResponse;
}

export class EventBusHealthResponse {
  @OutString({ enum: ['healthy', 'degraded', 'unhealthy'] })
  readonly status!: string;

  @OutOne(EventProvidersHealthResponse)
  readonly providers!: EventProvidersHealthResponse;

  @OutTime()
  readonly timestamp!: string;
}
