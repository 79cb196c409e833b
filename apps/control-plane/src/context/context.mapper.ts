import type { ContextLayer, ResolvedContext } from '@app/entity-contexts';
import type { ContextResponse, ResolvedContextResponse } from './dto/context.dto.js';

export function toContextResponse(context: ContextLayer): ContextResponse {
  const { entity_type, entity_id, knowledge_uuids, resource_ids, policy_ids } = context;
  return { entity_type, entity_id, knowledge_uuids, resource_ids, policy_ids };
}

export function toResolvedContextResponse(context: ResolvedContext): ResolvedContextResponse {
  const layers = context.layers.map((layer) => [`${layer.entity_type}:${layer.entity_id}`, toContextResponse(layer)]);
  return {
    ...toContextResponse(context),
    environment_id: context.environment_id,
    team_id: context.team_id,
    project_id: context.project_id,
    layers: Object.fromEntries(layers) as Record<string, ContextResponse>,
  };
}
