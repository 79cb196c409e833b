import { newId } from '@app/kernel';
import type { CreateWorkerQueue, NewWorkerQueue, WorkerQueueFields } from './worker-queue.types.js';

/** Values of fields that the client does not send. */
const DEFAULTS: Omit<WorkerQueueFields, 'name'> = {
  display_name: '',
  description: '',
  status: 'active',
  max_workers: null,
  heartbeat_interval: 60,
  tags: [],
  settings: {},
};

export function newWorkerQueue(
  environmentId: string,
  request: CreateWorkerQueue,
  createdBy: string | null,
  now: Date,
): NewWorkerQueue {
  return {
    ...DEFAULTS,
    ...request,
    id: newId(),
    environment_id: environmentId,
    created_by: createdBy,
    created_at: now,
    updated_at: now,
  };
}
