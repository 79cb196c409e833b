import type { RunModel, RunPreview } from '@app/orchestration';
import type { PreviewedModelResponse, RunPreviewResponse } from './dto/run-preview.response.dto.js';

export function toRunPreviewResponse({ queue, model, policies, ...preview }: RunPreview): RunPreviewResponse {
  return {
    prompt: preview.prompt,
    system_prompt: preview.system_prompt,
    missing_parameters: preview.missing_parameters,
    queue: queue && {
      id: queue.id,
      name: queue.name,
      environment_name: queue.environment_name,
      workers_alive: queue.workers_alive,
      waiting: queue.waiting,
      reason: queue.reason,
    },
    model: model && toPreviewedModelResponse(model),
    policies: {
      allowed: policies.allowed,
      violations: policies.violations,
      policies_evaluated: policies.policiesEvaluated,
    },
    problems: preview.problems,
  };
}

/** A model of which only the value is known is not in the catalogue. */
function toPreviewedModelResponse(model: RunModel): PreviewedModelResponse {
  return 'id' in model
    ? { id: model.id, value: model.value, label: model.label }
    : { id: null, value: model.value, label: null };
}
