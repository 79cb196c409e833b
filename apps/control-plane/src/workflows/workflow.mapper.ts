import { toWireTime } from '@app/kernel';
import type { WorkflowVersion } from '@app/workflows';
import type { WorkflowVersionResponse } from './dto/workflow.response.dto.js';

export function toWorkflowVersionResponse(version: WorkflowVersion): WorkflowVersionResponse {
  return {
    workflow_id: version.workflow_id,
    version: version.version,
    steps: version.steps,
    configuration: version.configuration,
    team_id: version.team_id,
    created_by: version.created_by,
    created_at: toWireTime(version.created_at),
  };
}
