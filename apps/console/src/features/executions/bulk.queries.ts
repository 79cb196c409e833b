import { unwrap, unwrapWithHeaders, type ControlPlaneComponents } from '@app/api-client';
import { queryOptions, useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Session } from '../../session/session';
import { useSession } from '../../session/session-context';
import { BatchWalk, type BatchPort, type BulkResult } from './batch-walk';
import { added, NOTHING_DONE, type Outcome } from './bulk-outcome';
import { filtersOf } from './executions.queries';
import type { ExecutionsSearch } from './executions.search';

export type BulkAction = ControlPlaneComponents['schemas']['BulkExecutionsRequest']['action'];

/** Executions that one request takes. */
const BULK_SIZE = 100;

/** An action that somebody was asked about, and how far it has come. */
export interface BulkRequest {
  readonly action: BulkAction;
  readonly count: number;
  readonly batches: BatchWalk;
  readonly results: BulkResult[];
}

export function bulkRequest(session: Session, action: BulkAction, ids: string[]): BulkRequest {
  const batches = new BatchWalk({
    readPage: async (start = '0') => {
      const end = Number(start) + BULK_SIZE;
      return { ids: ids.slice(Number(start), end), next: end < ids.length ? String(end) : null };
    },
    apply: (batch, key) => send(session, action, batch, key),
  });
  return { action, count: ids.length, batches, results: [] };
}

/**
 * Applies an action to executions. Resolves to what happened to them: some can be refused. After a failure, the same
 * request goes on with what has no answer.
 */
export function useBulkAction(): UseMutationResult<Outcome, Error, BulkRequest> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ batches, results }) => {
      while (!batches.isDone) await batches.step((more) => void results.push(...more));
      return added(NOTHING_DONE, results);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['executions'] }),
  });
}

/** With a key, the server executes the request once, however often it is sent. */
async function send({ controlPlane }: Session, action: BulkAction, executionIds: string[], key: string) {
  const body = { action, execution_ids: executionIds };
  const headers = { 'Idempotency-Key': key };
  return (await unwrap(controlPlane.POST('/api/v1/executions/bulk', { body, headers }))).results;
}

/** How many executions a filter finds; not exact above a limit of the server. `at` is the time on the server. */
export function countQuery({ controlPlane }: Session, search: ExecutionsSearch) {
  const filters = filtersOf(search);
  return queryOptions({
    queryKey: ['executions', 'count', filters],
    queryFn: async ({ signal }) => {
      const sent = controlPlane.GET('/api/v1/execution-summaries/count', { params: { query: filters }, signal });
      const { data, headers } = await unwrapWithHeaders(sent);
      return { ...data, at: new Date(headers.get('date') ?? Date.now()).toISOString() };
    },
    // It is read before something is done to all of them.
    staleTime: 0,
    gcTime: 0,
  });
}

export interface BulkWalk {
  /** What has been done so far. */
  readonly outcome: Outcome;
  readonly state: 'ready' | 'walking' | 'stopped' | 'done';
  readonly error: Error | null;
  /** Starts the walk, or goes on where it was stopped or failed. */
  readonly walk: () => void;
  readonly stop: () => void;
}

/**
 * Applies an action to all executions that a filter finds, page by page from the newest to the oldest; those that begin
 * meanwhile are newer, so that none is met twice. After a failure it goes on with what has no answer, of which nothing is
 * done twice. It ends with the component.
 */
export function useBulkWalk(action: BulkAction, search: ExecutionsSearch): BulkWalk {
  const session = useSession();
  const queries = useQueryClient();
  const [outcome, setOutcome] = useState(NOTHING_DONE);
  const [batches] = useState(() => new BatchWalk(batchesOf(session, action, search)));
  const isStopped = useRef(false);
  const walking = useMutation({
    mutationFn: async () => {
      isStopped.current = false;
      while (!batches.isDone && !isStopped.current) {
        await batches.step((results) => setOutcome((before) => added(before, results)));
      }
      return batches.isDone;
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['executions'] }),
  });
  const stop = (): void => {
    isStopped.current = true;
  };
  useEffect(
    () => () => {
      isStopped.current = true;
    },
    [],
  );
  const state = walking.isPending ? 'walking' : walking.isIdle ? 'ready' : walking.data === true ? 'done' : 'stopped';
  return { outcome, state, error: walking.error, walk: () => walking.mutate(), stop };
}

function batchesOf(session: Session, action: BulkAction, search: ExecutionsSearch): BatchPort {
  return {
    readPage: async (cursor) => {
      const query = { limit: BULK_SIZE, ...filtersOf(search), ...(cursor === undefined ? {} : { cursor }) };
      const sent = session.controlPlane.GET('/api/v1/execution-summaries', { params: { query } });
      const { items, next_cursor } = await unwrap(sent);
      return { ids: items.map(({ id }) => id), next: next_cursor };
    },
    apply: (ids, key) => send(session, action, ids, key),
  };
}
