import type { ModelGatewayConfig } from '@app/config';
import type { Scope } from '@app/kernel';
import type { ClientConfigResponse } from './dto/client-config.response.dto.js';
import { DEFAULT_RUNTIME } from './runtimes.js';

const LIMITS = {
  max_body_bytes: 1_048_576,
  default_page_size: 100,
  max_page_size: 1000,
  event_retention_seconds: 3600,
  idempotency_key_seconds: 86_400,
};

/** Neither the gateway's address nor its key: only workers need them. */
export function toClientConfig(
  scope: Scope,
  controlPlaneUrl: string,
  gateway: ModelGatewayConfig,
): ClientConfigResponse {
  return {
    api_version: 'v1',
    control_plane_url: controlPlaneUrl,
    organization_id: scope.organizationId,
    llm_gateway_configured: gateway.url !== null,
    default_model: gateway.defaultModel,
    default_runtime: DEFAULT_RUNTIME,
    websocket_enabled: false,
    websocket_url: null,
    limits: LIMITS,
  };
}
