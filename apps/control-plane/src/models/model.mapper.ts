import { toWireTime, withoutUndefined } from '@app/kernel';
import type { Model, ModelFilter } from '@app/models';
import type { ListModelsQuery } from './dto/model.request.dto.js';
import type { ModelResponse } from './dto/model.response.dto.js';

export function toModelResponse(model: Model): ModelResponse {
  return {
    id: model.id,
    value: model.value,
    label: model.label,
    provider: model.provider,
    model_type: model.model_type,
    logo: model.logo,
    description: model.description,
    enabled: model.enabled,
    recommended: model.recommended,
    compatible_runtimes: model.compatible_runtimes,
    capabilities: model.capabilities,
    pricing: model.pricing,
    display_order: model.display_order,
    created_at: toWireTime(model.created_at),
    updated_at: toWireTime(model.updated_at),
  };
}

export function toModelFilter({ provider, runtime, type, enabled, recommended }: ListModelsQuery): ModelFilter {
  return withoutUndefined({ provider, runtime, type, enabled, recommended });
}
