import { OutBoolean, OutInteger, OutOne, OutString } from '@app/http';

export class ClientLimitsResponse {
  @OutInteger({ description: 'Largest request body; traces, sessions and analytics batches may be ten times as large' })
  readonly max_body_bytes!: number;

  @OutInteger({ description: 'Rows of a list where the request does not say' })
  readonly default_page_size!: number;

  @OutInteger()
  readonly max_page_size!: number;

  @OutInteger({ description: "How long an execution's events can be streamed again" })
  readonly event_retention_seconds!: number;

  @OutInteger({ description: 'How long an Idempotency-Key is remembered' })
  readonly idempotency_key_seconds!: number;
}

export class ClientConfigResponse {
  @OutString({ enum: ['v1'] })
  readonly api_version!: string;

  @OutString()
  readonly control_plane_url!: string;

  @OutString()
  readonly organization_id!: string;

  @OutBoolean({ description: 'Whether models can be reached at all' })
  readonly llm_gateway_configured!: boolean;

  @OutString({ nullable: true, description: 'Model used where an agent names none, if one is configured' })
  readonly default_model!: string | null;

  @OutString({ description: 'Runtime used where an agent names none' })
  readonly default_runtime!: string;

  @OutBoolean()
  readonly websocket_enabled!: boolean;

  @OutString({ nullable: true })
  readonly websocket_url!: string | null;

  @OutOne(ClientLimitsResponse)
  readonly limits!: ClientLimitsResponse;
}

export class RuntimeResponse {
  @OutString({ description: 'What agents, teams and models name' })
  readonly id!: string;

  @OutString()
  readonly name!: string;

  @OutString()
  readonly description!: string;
}
