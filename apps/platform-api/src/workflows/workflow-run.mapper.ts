import type { StartedNamedRun } from '@app/orchestration';
import type { StartedWorkflowResponse } from './dto/workflow-run.dto.js';

export function toStartedWorkflowResponse({ execution, runnableId }: StartedNamedRun): StartedWorkflowResponse {
  const { id, status, error_message } = execution;
  return { execution_id: id, workflow_id: runnableId, status, error_message };
}
