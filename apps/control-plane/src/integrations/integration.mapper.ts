import { INTEGRATION_SECRETS, grants, presentSecrets, toWireTime, withoutUndefined, type Caller } from '@app/kernel';
import type { Integration, IntegrationFilter } from '@app/resources';
import type { ListIntegrationsQuery } from './dto/integration.request.dto.js';
import type { IntegrationResponse } from './dto/integration.response.dto.js';

/** Contains the values of the configuration only for callers who may write integrations. */
export function toIntegrationResponse(integration: Integration, caller: Caller): IntegrationResponse {
  const { configuration } = integration;
  return {
    id: integration.id,
    organization_id: integration.organization_id,
    name: integration.name,
    type: integration.type,
    description: integration.description,
    configuration: presentSecrets(INTEGRATION_SECRETS, configuration, grants(caller, 'integrations:write')),
    tags: integration.tags,
    metadata: integration.metadata,
    created_by: integration.created_by,
    created_at: toWireTime(integration.created_at),
    updated_at: toWireTime(integration.updated_at),
  };
}

export function toIntegrationFilter({ name, type, tag }: ListIntegrationsQuery): IntegrationFilter {
  return withoutUndefined({ name, type, tag });
}
