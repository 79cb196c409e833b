import { unwrap, type ControlPlaneComponents } from '@app/api-client';
import { queryOptions, useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { isFirstPageOnly, pagedQuery, type Pages } from '../../api/keyset';
import type { Session } from '../../session/session';
import { useSession } from '../../session/session-context';
import { isFinal, type Action } from './execution-state';
import type { ExecutionsSearch } from './executions.search';

type Schemas = ControlPlaneComponents['schemas'];
export type Summary = Schemas['ExecutionSummaryResponse'];
export type Execution = Schemas['ExecutionResponse'];
export type Timeline = Schemas['TimelineResponse'];

const PAGE_SIZE = 50;
/** Executions that are open change; a list of ended ones does not. */
const REFRESH_MS = 5000;

/** Returns the filters as the API takes them. */
export function filtersOf({ type, entity, job, queue, parent, session, order, ...others }: ExecutionsSearch) {
  return {
    ...others,
    ...(type === undefined ? {} : { execution_type: type }),
    ...(entity === undefined ? {} : { entity_id: entity }),
    ...(job === undefined ? {} : { job_id: job }),
    ...(queue === undefined ? {} : { worker_queue_id: queue }),
    ...(parent === undefined ? {} : { parent_execution_id: parent }),
    ...(session === undefined ? {} : { session_id: session }),
    ...(order === undefined ? {} : { order: '-completed_at' as const }),
  };
}

/** The executions that a filter finds, newest first. */
export function executionsQuery({ controlPlane }: Session, search: ExecutionsSearch) {
  const filters = filtersOf(search);
  const list = pagedQuery<Summary>(['executions', 'list', filters], async (cursor, signal) => {
    const query = { limit: PAGE_SIZE, ...filters, ...(cursor === undefined ? {} : { cursor }) };
    const page = await unwrap(controlPlane.GET('/api/v1/execution-summaries', { params: { query }, signal }));
    return { rows: page.items, next: page.next_cursor };
  });
  return {
    ...list,
    refetchInterval: ({ state: { data } }: Refreshed) =>
      data !== undefined && needsRefresh(data) ? REFRESH_MS : false,
  };
}

interface Refreshed {
  readonly state: { readonly data: Pages<Summary> | undefined };
}

/** A person who reads older pages is not disturbed, and the server not asked for all of them. */
function needsRefresh(data: Pages<Summary>): boolean {
  return isFirstPageOnly(data) && data.pages.some(({ rows }) => rows.some(({ status }) => !isFinal(status)));
}

export function executionQuery({ controlPlane }: Session, id: string) {
  return queryOptions({
    queryKey: ['executions', 'one', id],
    queryFn: ({ signal }) =>
      unwrap(controlPlane.GET('/api/v1/executions/{execution_id}', { params: { path: { execution_id: id } }, signal })),
  });
}

/** The hash of the cause of a failure, which an execution names in lists only; null without one. */
export function causeQuery({ controlPlane }: Session, { id, status }: Execution) {
  return queryOptions({
    queryKey: ['executions', 'cause', id],
    enabled: status === 'failed',
    queryFn: async ({ signal }) => {
      const query = { id, limit: 1 };
      const page = await unwrap(controlPlane.GET('/api/v1/execution-summaries', { params: { query }, signal }));
      return page.items[0]?.cause ?? null;
    },
  });
}

export function timelineQuery({ controlPlane }: Session, id: string) {
  return queryOptions({
    queryKey: ['executions', 'timeline', id],
    queryFn: ({ signal }) => {
      const params = { path: { execution_id: id } };
      return unwrap(controlPlane.GET('/api/v1/executions/{execution_id}/timeline', { params, signal }));
    },
  });
}

/** Runs an action. Resolves to the id of the execution to look at: a new one if it was run again. */
export function useExecutionAction(id: string): UseMutationResult<string, Error, Action> {
  const { controlPlane } = useSession();
  const queries = useQueryClient();
  const params = { path: { execution_id: id } };
  return useMutation({
    mutationFn: async (action: Action) => {
      if (action === 'rerun') {
        const started = await unwrap(
          controlPlane.POST('/api/v1/executions/{execution_id}/rerun', { params, body: {} }),
        );
        return started.execution_id;
      }
      await unwrap(controlPlane.POST(`/api/v1/executions/{execution_id}/${action}`, { params }));
      return id;
    },
    // Also after a refusal: the execution may have ended meanwhile.
    onSettled: () => queries.invalidateQueries({ queryKey: ['executions'] }),
  });
}

export function useSendMessage(id: string): UseMutationResult<unknown, Error, string> {
  const { controlPlane } = useSession();
  return useMutation({
    mutationFn: (message: string) => {
      const params = { path: { execution_id: id } };
      return unwrap(controlPlane.POST('/api/v1/executions/{execution_id}/message', { params, body: { message } }));
    },
  });
}
