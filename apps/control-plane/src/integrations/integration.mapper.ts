import { toWireTime, withoutUndefined } from '@app/kernel';
import type { Integration, IntegrationFilter } from '@app/resources';
import type { ListIntegrationsQuery } from './dto/integration.request.dto.js';
import type { IntegrationResponse } from './dto/integration.response.dto.js';

export function toIntegrationResponse(integration: Integration): IntegrationResponse {
  return {
    id: integration.id,
    organization_id: integration.organization_id,
    name: integration.name,
    type: integration.type,
    description: integration.description,
    configuration: integration.configuration,
    tags: integration.tags,
    metadata: integration.metadata,
    created_by: integration.created_by,
    created_at: toWireTime(integration.created_at),
    updated_at: toWireTime(integration.updated_at),
  };
}

export function toIntegrationFilter({ type, tag }: ListIntegrationsQuery): IntegrationFilter {
  return withoutUndefined({ type, tag });
}
