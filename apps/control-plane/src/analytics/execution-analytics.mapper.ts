import type { AnalyticsFilter, FailureGroup, Failures, RequestedPeriod, Series, SeriesBucket } from '@app/executions';
import { toWireTime, withoutUndefined } from '@app/kernel';
import type { ExecutionAnalyticsQuery } from './dto/execution-analytics.request.dto.js';
import type {
  FailureGroupResponse,
  FailuresResponse,
  SeriesBucketResponse,
  SeriesResponse,
} from './dto/execution-analytics.response.dto.js';

export function toRequestedPeriod({ from, to }: ExecutionAnalyticsQuery): RequestedPeriod {
  return withoutUndefined({ from, to });
}

export function toAnalyticsFilter(query: ExecutionAnalyticsQuery): AnalyticsFilter {
  const { entity_id: entityId, job_id: jobId, worker_queue_id: workerQueueId } = query;
  return withoutUndefined({ entityId, jobId, workerQueueId });
}

export function toSeriesResponse({ from, to, bucketSeconds, buckets }: Series): SeriesResponse {
  const period = { from: toWireTime(from), to: toWireTime(to) };
  return { ...period, bucket_seconds: bucketSeconds, buckets: buckets.map(toSeriesBucketResponse) };
}

function toSeriesBucketResponse(bucket: SeriesBucket): SeriesBucketResponse {
  return {
    at: toWireTime(bucket.at),
    started: bucket.started,
    completed: bucket.completed,
    failed: bucket.failed,
    cancelled: bucket.cancelled,
    terminated: bucket.terminated,
    wait_p95_ms: bucket.wait_p95_ms,
    run_p50_ms: bucket.run_p50_ms,
    run_p95_ms: bucket.run_p95_ms,
  };
}

export function toFailuresResponse({ from, to, failed, failed_before, groups }: Failures): FailuresResponse {
  const period = { from: toWireTime(from), to: toWireTime(to) };
  return { ...period, failed, failed_before, groups: groups.map(toFailureGroupResponse) };
}

function toFailureGroupResponse(group: FailureGroup): FailureGroupResponse {
  return {
    cause: group.cause,
    kind: group.kind,
    title: group.title,
    example: group.example,
    count: group.count,
    count_before: group.count_before,
    first_at: toWireTime(group.first_at),
    last_at: toWireTime(group.last_at),
    entities: group.entities.map(({ id, name, count }) => ({ id, name, count })),
    last_execution_id: group.last_execution_id,
  };
}
