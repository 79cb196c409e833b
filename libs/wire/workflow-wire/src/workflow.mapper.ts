import { toWireTime, withoutUndefined } from '@app/kernel';
import type { Workflow, WorkflowFilter } from '@app/workflows';
import type { ListWorkflowsQuery } from './workflow.request.dto.js';
import type { WorkflowResponse } from './workflow.response.dto.js';

export function toWorkflowResponse(workflow: Workflow): WorkflowResponse {
  return {
    id: workflow.id,
    organization_id: workflow.organization_id,
    name: workflow.name,
    description: workflow.description,
    status: workflow.status,
    steps: workflow.steps,
    configuration: workflow.configuration,
    team_id: workflow.team_id,
    version: workflow.version,
    created_by: workflow.created_by,
    updated_by: workflow.updated_by,
    created_at: toWireTime(workflow.created_at),
    updated_at: toWireTime(workflow.updated_at),
  };
}

export function toWorkflowFilter({ name, status }: ListWorkflowsQuery): WorkflowFilter {
  return withoutUndefined({ name, status });
}
