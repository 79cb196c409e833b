import { ResponseBoolean, ResponseInteger, ResponseNested, ResponseString, ResponseTime } from '@app/http';
import { KEY_SCOPES, type KeyScope } from '@app/kernel';
import { ApiProperty } from '@nestjs/swagger';

export class ClientLimitsResponse {
  @ResponseInteger({
    description: 'Maximum size of a request body in bytes. Sessions and analytics batches may be ten times as large',
  })
  readonly max_body_bytes!: number;

  @ResponseInteger({ description: 'Default number of rows of a list' })
  readonly default_page_size!: number;

  @ResponseInteger({ description: 'Maximum number of rows of a list' })
  readonly max_page_size!: number;

  @ResponseInteger({ description: 'Seconds for which the events of an execution can be streamed again' })
  readonly event_retention_seconds!: number;

  @ResponseInteger({ description: 'Seconds for which an `Idempotency-Key` is remembered' })
  readonly idempotency_key_seconds!: number;
}

export class ClientConfigResponse {
  @ResponseString({ enum: ['v1'], description: 'API version' })
  readonly api_version!: string;

  @ResponseString({ description: 'URL of the control plane' })
  readonly control_plane_url!: string;

  @ResponseString({ nullable: true, description: 'URL of the platform API; null if it is not configured' })
  readonly platform_api_url!: string | null;

  @ResponseString()
  readonly organization_id!: string;

  @ResponseBoolean({ description: 'Whether a model gateway is configured' })
  readonly llm_gateway_configured!: boolean;

  @ResponseString({
    nullable: true,
    description: 'Value of the model for agents without one; null if none is configured',
  })
  readonly default_model!: string | null;

  @ResponseString({ description: 'Runtime id for agents without one' })
  readonly default_runtime!: string;

  @ResponseBoolean({ description: 'Whether the control plane accepts WebSocket connections' })
  readonly websocket_enabled!: boolean;

  @ResponseString({
    nullable: true,
    description: 'URL to which clients append `/executions/{id}`; null if not enabled',
  })
  readonly websocket_url!: string | null;

  @ResponseNested(ClientLimitsResponse, { description: 'Limits of the API' })
  readonly limits!: ClientLimitsResponse;
}

/** The API key of a client and what belongs to it. */
export class ClientSessionResponse {
  @ResponseString({ description: 'API key id' })
  readonly key_id!: string;

  @ResponseString({ description: 'Name of the key' })
  readonly key_name!: string;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', enum: [...KEY_SCOPES] },
    description: 'Scopes granted to the key; `admin` grants all',
  })
  readonly scopes!: readonly KeyScope[];

  @ResponseString()
  readonly organization_id!: string;

  @ResponseString({ description: 'Organization name' })
  readonly organization_name!: string;

  @ResponseString({ description: 'Id of the user for whom the key acts' })
  readonly user_id!: string;

  @ResponseString({ nullable: true })
  readonly user_name!: string | null;

  @ResponseString({ nullable: true })
  readonly user_email!: string | null;

  @ResponseTime({ nullable: true, description: 'Expiry time of the key; null for a key that does not expire' })
  readonly expires_at!: string | null;

  @ResponseTime({ description: 'Current time of the server' })
  readonly server_time!: string;

  @ResponseBoolean({ description: 'Whether the address of a platform API is configured' })
  readonly platform_api!: boolean;
}
