import type { ModelGatewayConfig } from '@app/config';
import { EVENT_RETENTION_S } from '@app/events';
import { BODY_LIMIT, DEFAULT_PAGE_SIZE, IDEMPOTENCY_KEY_SECONDS, MAX_PAGE_SIZE } from '@app/http';
import type { Scope } from '@app/kernel';
import type { ClientConfigResponse } from './dto/client-config.response.dto.js';
import { DEFAULT_RUNTIME } from './runtimes.js';

const LIMITS = {
  max_body_bytes: BODY_LIMIT,
  default_page_size: DEFAULT_PAGE_SIZE,
  max_page_size: MAX_PAGE_SIZE,
  event_retention_seconds: EVENT_RETENTION_S,
  idempotency_key_seconds: IDEMPOTENCY_KEY_SECONDS,
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
