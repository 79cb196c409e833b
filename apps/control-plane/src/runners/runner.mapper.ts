import type { Runner, RunnerFilter, RunnerWorkers, Worker } from '@app/environments';
import { toWireTime, withoutUndefined } from '@app/kernel';
import { toWorkerResponse } from '../workers/worker.mapper.js';
import type { ListRunnersQuery } from './dto/runner.request.dto.js';
import type { RunnerDetailsResponse, RunnerResponse } from './dto/runner.response.dto.js';

/** `workers` is undefined if no worker of the runner is stored: disconnected workers are deleted some time later. */
export function toRunnerResponse(runner: Runner, workers: RunnerWorkers | undefined): RunnerResponse {
  return {
    id: runner.id,
    organization_id: runner.organization_id,
    name: runner.name,
    description: runner.description,
    labels: runner.labels,
    configuration: runner.configuration,
    tags: runner.tags,
    metadata: runner.metadata,
    active_workers: workers?.active_workers ?? 0,
    last_seen_at: toWireTime(workers?.last_heartbeat_at ?? runner.last_started_at),
    created_at: toWireTime(runner.created_at),
    updated_at: toWireTime(runner.updated_at),
  };
}

export function toRunnerDetailsResponse(
  runner: Runner,
  counts: RunnerWorkers | undefined,
  workers: readonly Worker[],
): RunnerDetailsResponse {
  return { ...toRunnerResponse(runner, counts), workers: workers.map(toWorkerResponse) };
}

export function toRunnerFilter({ name, tag }: ListRunnersQuery): RunnerFilter {
  return withoutUndefined({ name, tag });
}
