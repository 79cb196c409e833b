import type { EnvironmentSummary, WorkerCounts, WorkerQueue } from '@app/environments';
import type { QueueLoad } from '@app/executions';
import { toWireTime } from '@app/kernel';
import type { LoadSeries } from '@app/orchestration';
import type { QueueLoadResponse, QueueLoadSeriesResponse } from './dto/queue-load.dto.js';

/** Data of other domains about queues, by queue or environment id. */
export interface QueueLoadLookups {
  readonly environments: ReadonlyMap<string, EnvironmentSummary>;
  readonly loads: ReadonlyMap<string, QueueLoad>;
  readonly workers: ReadonlyMap<string, WorkerCounts>;
}

export function toQueueLoadResponse(queue: WorkerQueue, lookups: QueueLoadLookups): QueueLoadResponse {
  const load = lookups.loads.get(queue.id);
  const workers = lookups.workers.get(queue.id);
  if (load === undefined || workers === undefined) throw new Error('The load of a queue is missing');
  return {
    queue_id: queue.id,
    queue_name: queue.name,
    environment_id: queue.environment_id,
    environment_name: lookups.environments.get(queue.environment_id)?.name ?? '',
    status: queue.status,
    max_workers: queue.max_workers,
    waiting: load.waiting,
    oldest_waiting_at: toWireTime(load.oldest_waiting_at),
    running: load.running,
    paused: load.paused,
    waiting_for_input: load.waiting_for_input,
    oldest_waiting_for_input_at: toWireTime(load.oldest_waiting_for_input_at),
    workers: { active: workers.active, idle: workers.idle, busy: workers.busy, stale: workers.stale },
    at: toWireTime(load.at),
  };
}

export function toQueueLoadSeriesResponse({ bucket_seconds, buckets }: LoadSeries): QueueLoadSeriesResponse {
  return {
    bucket_seconds,
    buckets: buckets.map((bucket) => ({
      at: toWireTime(bucket.at),
      waiting_max: bucket.waiting_max,
      oldest_wait_seconds_max: bucket.oldest_wait_seconds_max,
      running_max: bucket.running_max,
      workers_min: bucket.workers_min,
    })),
  };
}
