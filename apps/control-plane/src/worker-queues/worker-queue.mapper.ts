import type { WorkerQueue, WorkerQueueFilter } from '@app/environments';
import { toWireTime, withoutUndefined } from '@app/kernel';
import type { ListWorkerQueuesQuery } from './dto/worker-queue.request.dto.js';
import type { WorkerQueueResponse } from './dto/worker-queue.response.dto.js';

export function toWorkerQueueResponse(queue: WorkerQueue): WorkerQueueResponse {
  return {
    id: queue.id,
    organization_id: queue.organization_id,
    environment_id: queue.environment_id,
    name: queue.name,
    display_name: queue.display_name,
    description: queue.description,
    status: queue.status,
    max_workers: queue.max_workers,
    heartbeat_interval: queue.heartbeat_interval,
    tags: queue.tags,
    settings: queue.settings,
    created_at: toWireTime(queue.created_at),
    updated_at: toWireTime(queue.updated_at),
    created_by: queue.created_by,
    task_queue_name: queue.id,
    active_workers: queue.active_workers,
  };
}

export function toWorkerQueueFilter({ name, environment_id, status }: ListWorkerQueuesQuery): WorkerQueueFilter {
  return withoutUndefined({ name, environment_id, status });
}
