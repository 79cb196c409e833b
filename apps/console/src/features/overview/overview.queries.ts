import { unwrap, type ControlPlaneComponents } from '@app/api-client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Session } from '../../session/session';
import type { Period } from './overview.search';

type Schemas = ControlPlaneComponents['schemas'];
export type QueueLoad = Schemas['QueueLoadResponse'];
export type Series = Schemas['SeriesResponse'];
export type Failures = Schemas['FailuresResponse'];
export type FailureGroup = Schemas['FailureGroupResponse'];

/** Asked for only while the tab is seen. */
const REFRESH_MS = 15_000;
const LONGEST = 5;

export function seriesQuery({ controlPlane }: Session, { from, to, bucketSeconds }: Period) {
  return queryOptions({
    queryKey: ['overview', 'series', from, to],
    queryFn: ({ signal }) => {
      const query = { from, to, bucket_seconds: bucketSeconds };
      return unwrap(controlPlane.GET('/api/v1/analytics/executions/series', { params: { query }, signal }));
    },
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
}

export function failuresQuery({ controlPlane }: Session, { from, to }: Period) {
  return queryOptions({
    queryKey: ['overview', 'failures', from, to],
    queryFn: ({ signal }) => {
      const params = { query: { from, to, limit: 10 } };
      return unwrap(controlPlane.GET('/api/v1/analytics/executions/failures', { params, signal }));
    },
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
}

export function queueLoadQuery({ controlPlane, can }: Session) {
  return queryOptions({
    queryKey: ['overview', 'queues'],
    queryFn: ({ signal }) => unwrap(controlPlane.GET('/api/v1/worker-queue-load', { signal })),
    refetchInterval: REFRESH_MS,
    enabled: can('runners:read'),
  });
}

/** The executions that have run for longest. */
export function longestRunningQuery({ controlPlane }: Session) {
  return queryOptions({
    queryKey: ['overview', 'longest'],
    queryFn: async ({ signal }) => {
      const query = { status: 'running', order: 'created_at', limit: LONGEST } as const;
      return (await unwrap(controlPlane.GET('/api/v1/execution-summaries', { params: { query }, signal }))).items;
    },
    refetchInterval: REFRESH_MS,
  });
}
