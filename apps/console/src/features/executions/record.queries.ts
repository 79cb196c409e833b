import { unwrap, type ControlPlaneComponents } from '@app/api-client';
import { queryOptions, useMutation, type UseMutationResult } from '@tanstack/react-query';
import { keysetQuery } from '../../api/keyset';
import type { Session } from '../../session/session';
import { useSession } from '../../session/session-context';
import { isFinal, type ExecutionStatus } from './execution-state';

type Schemas = ControlPlaneComponents['schemas'];
export type Step = Schemas['ExecutionStepResponse'];
export type ToolCall = Schemas['ToolCallResponse'];
export type TaskRecord = Schemas['TaskRecordResponse'];
export type ExecutionFile = Schemas['ExecutionFileResponse'];

/** Which execution is meant, and whether its record still grows. */
export interface Recorded {
  readonly id: string;
  readonly status: ExecutionStatus;
}

export interface RecordedWorkflow extends Recorded {
  /** Id of the workflow. */
  readonly entity_id: string | null;
}

const REFRESH_MS = 3000;

export function stepsQuery({ controlPlane }: Session, { id, status }: Recorded) {
  return queryOptions({
    queryKey: ['executions', 'steps', id],
    queryFn: ({ signal }) => {
      const params = { path: { execution_id: id } };
      return unwrap(controlPlane.GET('/api/v1/executions/{execution_id}/steps', { params, signal }));
    },
    refetchInterval: refreshOf(status),
  });
}

/** The steps of the workflow as it is now. */
export function workflowStepsQuery({ controlPlane, can }: Session, { entity_id }: RecordedWorkflow) {
  return queryOptions({
    queryKey: ['executions', 'workflow-steps', entity_id],
    queryFn: async ({ signal }) => {
      const params = { path: { workflow_id: entity_id ?? '' } };
      return (await unwrap(controlPlane.GET('/api/v1/workflows/{workflow_id}', { params, signal }))).steps;
    },
    enabled: entity_id !== null && can('workflows:read'),
  });
}

export function toolCallsQuery({ controlPlane }: Session, { id, status }: Recorded) {
  const list = keysetQuery<ToolCall>(['executions', 'tool-calls', id], (query, signal) => {
    const params = { path: { execution_id: id }, query };
    return controlPlane.GET('/api/v1/executions/{execution_id}/tool-calls', { params, signal });
  });
  return { ...list, refetchInterval: refreshOf(status) };
}

export function tasksQuery({ controlPlane }: Session, { id, status }: Recorded) {
  const list = keysetQuery<TaskRecord>(['executions', 'tasks', id], (query, signal) => {
    const params = { path: { execution_id: id }, query };
    return controlPlane.GET('/api/v1/executions/{execution_id}/tasks', { params, signal });
  });
  return { ...list, refetchInterval: refreshOf(status) };
}

/** What policies decided about the start. Decisions never change. */
export function decisionQuery({ controlPlane, can }: Session, id: string | null) {
  return queryOptions({
    queryKey: ['executions', 'decision', id],
    enabled: id !== null && can('agents:read'),
    staleTime: Infinity,
    queryFn: ({ signal }) => {
      const params = { path: { decision_id: id ?? '' } };
      return unwrap(controlPlane.GET('/api/v1/policies/decisions/{decision_id}', { params, signal }));
    },
  });
}

export function filesQuery({ controlPlane }: Session, { id, status }: Recorded) {
  const list = keysetQuery<ExecutionFile>(['executions', 'files', id], (query, signal) => {
    const params = { path: { execution_id: id }, query };
    return controlPlane.GET('/api/v1/executions/{execution_id}/files', { params, signal });
  });
  return { ...list, refetchInterval: refreshOf(status) };
}

/** Reads a file with the key of the session, which an address cannot carry, and resolves to its content. */
export function useFileContent(id: string): UseMutationResult<Blob, Error, string> {
  const { controlPlane } = useSession();
  return useMutation({
    mutationFn: async (name: string) => {
      const params = { path: { execution_id: id, file_name: name } };
      const path = '/api/v1/executions/{execution_id}/files/{file_name}';
      return unwrap<Blob>(controlPlane.GET(path, { params, parseAs: 'blob' }));
    },
  });
}

function refreshOf(status: ExecutionStatus): number | false {
  return isFinal(status) ? false : REFRESH_MS;
}
