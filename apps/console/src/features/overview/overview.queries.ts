import { unwrap, unwrapWithHeaders, type ControlPlaneComponents } from '@app/api-client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Session } from '../../session/session';
import { gently } from '../../ui/presence';
import type { Period } from './overview.search';

type Schemas = ControlPlaneComponents['schemas'];
export type QueueLoad = Schemas['QueueLoadResponse'];
export type Series = Schemas['SeriesResponse'];
export type Failures = Schemas['FailuresResponse'];
export type FailureGroup = Schemas['FailureGroupResponse'];

/** Asked for only while the tab is seen. */
const REFRESH_MS = 15_000;
/** While nobody is here, only what tells that something happened is asked for. */
const PULSE_MS = 90_000;
const LONGEST = 5;
const UPCOMING = 5;
/** What changes seldom is asked for once a minute. */
const SELDOM_MS = 60_000;
const MAX_JOBS = 200;
/** With as many executions, an organization is past the first steps. */
export const RUNS_OF_A_BEGINNER = 20;

export function seriesQuery({ controlPlane }: Session, { from, to, bucketSeconds }: Period) {
  return queryOptions({
    queryKey: ['overview', 'series', from, to, bucketSeconds],
    queryFn: ({ signal }) => {
      const query = { from, to, bucket_seconds: bucketSeconds };
      return unwrap(controlPlane.GET('/api/v1/analytics/executions/series', { params: { query }, signal }));
    },
    refetchInterval: gently(REFRESH_MS, PULSE_MS),
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
    refetchInterval: gently(REFRESH_MS),
    placeholderData: keepPreviousData,
  });
}

export function queueLoadQuery({ controlPlane, can }: Session) {
  return queryOptions({
    queryKey: ['overview', 'queues'],
    queryFn: ({ signal }) => unwrap(controlPlane.GET('/api/v1/worker-queue-load', { signal })),
    refetchInterval: gently(REFRESH_MS),
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
    refetchInterval: gently(REFRESH_MS),
  });
}

/** The jobs whose schedules fire next. */
export function upcomingJobsQuery({ controlPlane }: Session) {
  return queryOptions({
    queryKey: ['overview', 'upcoming'],
    queryFn: async ({ signal }) => {
      const query = { trigger_type: 'cron', enabled: true, limit: MAX_JOBS, total: false } as const;
      const sent = controlPlane.GET('/api/v1/jobs', { params: { query }, signal });
      const { data: read, headers } = await unwrapWithHeaders(sent);
      const jobs = read
        .filter(({ next_execution_at }) => next_execution_at !== null)
        .toSorted((one, other) => (one.next_execution_at ?? '').localeCompare(other.next_execution_at ?? ''))
        .slice(0, UPCOMING);
      return { jobs, read: read.length, isPart: headers.has('x-next-cursor') };
    },
    refetchInterval: gently(SELDOM_MS),
  });
}

export function healthQuery({ controlPlane }: Session) {
  return queryOptions({
    queryKey: ['overview', 'health'],
    queryFn: ({ signal }) => unwrap(controlPlane.GET('/api/health/event-bus', { signal })),
    refetchInterval: gently(SELDOM_MS),
  });
}

/** How many executions there are, up to the number of those for whom the first steps are over. */
export function firstRunsQuery({ controlPlane }: Session) {
  return queryOptions({
    queryKey: ['overview', 'first-runs'],
    queryFn: async ({ signal }) => {
      const params = { query: { limit: RUNS_OF_A_BEGINNER } };
      return (await unwrap(controlPlane.GET('/api/v1/execution-summaries', { params, signal }))).items.length;
    },
    refetchInterval: ({ state: { data = 0 } }) => (data < RUNS_OF_A_BEGINNER ? gently(REFRESH_MS)() : false),
  });
}

/** What there is of what the first steps make. What the key may not read counts as there. */
export function firstStepsQuery({ controlPlane, can }: Session) {
  return queryOptions({
    queryKey: ['overview', 'first-steps'],
    queryFn: async ({ signal }) => {
      const first = { params: { query: { limit: 1, total: false } }, signal };
      const [models, jobs, agents, policies, environments] = await Promise.all([
        unwrap(controlPlane.GET('/api/v1/models', first)),
        unwrap(controlPlane.GET('/api/v1/jobs', first)),
        can('agents:read') ? unwrap(controlPlane.GET('/api/v1/agents', first)) : null,
        can('agents:read') ? unwrap(controlPlane.GET('/api/v1/policies', first)) : null,
        can('runners:read') ? unwrap(controlPlane.GET('/api/v1/environments', { signal })) : null,
      ]);
      return {
        hasModel: models.length > 0,
        hasAgent: agents === null || agents.length > 0,
        hasJob: jobs.length > 0,
        hasPolicy: policies === null || policies.policies.length > 0,
        hasWorker: environments === null || environments.some(({ active_workers }) => active_workers > 0),
      };
    },
    refetchInterval: gently(REFRESH_MS),
  });
}
