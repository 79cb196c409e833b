import type { ControlPlaneConfig, ModelGatewayConfig } from '@app/config';
import { EVENT_RETENTION_SECONDS } from '@app/events';
import { DEFAULT_RUNTIME } from '@app/executions';
import { BODY_LIMIT, DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '@app/http';
import { IDEMPOTENCY_KEY_SECONDS } from '@app/idempotency';
import type { Organization } from '@app/identity';
import { toWireTime, type Caller, type Scope } from '@app/kernel';
import type { PublicAddress } from '../public-address/public-address.js';
import type { ClientConfigResponse, ClientSessionResponse } from './dto/client-config.response.dto.js';

const LIMITS = {
  max_body_bytes: BODY_LIMIT,
  default_page_size: DEFAULT_PAGE_SIZE,
  max_page_size: MAX_PAGE_SIZE,
  event_retention_seconds: EVENT_RETENTION_SECONDS,
  idempotency_key_seconds: IDEMPOTENCY_KEY_SECONDS,
};

/** Contains neither the URL nor the key of the model gateway: only workers need them. */
export function toClientConfig(
  scope: Scope,
  { url, webSocketUrl }: Pick<PublicAddress, 'url' | 'webSocketUrl'>,
  gateway: ModelGatewayConfig,
  { publicPlatformApiUrl }: Pick<ControlPlaneConfig, 'publicPlatformApiUrl'>,
): ClientConfigResponse {
  return {
    api_version: 'v1',
    control_plane_url: url,
    platform_api_url: publicPlatformApiUrl,
    organization_id: scope.organizationId,
    llm_gateway_configured: gateway.url !== null,
    default_model: gateway.defaultModel,
    default_runtime: DEFAULT_RUNTIME,
    websocket_enabled: webSocketUrl !== null,
    websocket_url: webSocketUrl,
    limits: LIMITS,
  };
}

export function toClientSession(
  caller: Caller,
  organization: Organization,
  now: Date,
  { platformApiUrl }: Pick<ControlPlaneConfig, 'platformApiUrl'>,
): ClientSessionResponse {
  return {
    key_id: caller.keyId,
    key_name: caller.keyName,
    scopes: caller.scopes,
    organization_id: organization.id,
    organization_name: organization.name,
    user_id: caller.userId,
    user_name: caller.userName,
    user_email: caller.userEmail,
    expires_at: toWireTime(caller.expiresAt),
    server_time: toWireTime(now),
    platform_api: platformApiUrl !== null,
  };
}
