import type { JsonObject, Patch } from '@app/kernel';

export const WORKER_QUEUE_STATUSES = ['active', 'inactive', 'paused'] as const;
export type WorkerQueueStatus = (typeof WORKER_QUEUE_STATUSES)[number];

/** The queue every new organisation has in its default environment. */
export const DEFAULT_WORKER_QUEUE = 'default';

/** What a client may say of a worker queue. */
export interface WorkerQueueFields {
  /** Unique in its environment. */
  readonly name: string;
  readonly display_name: string;
  readonly description: string;
  readonly status: WorkerQueueStatus;
  /** How many workers may be connected at once; `null` means any number. */
  readonly max_workers: number | null;
  /** Seconds between two heartbeats of a worker. */
  readonly heartbeat_interval: number;
  readonly tags: string[];
  readonly settings: JsonObject;
}

export interface StoredWorkerQueue extends WorkerQueueFields {
  readonly id: string;
  readonly organization_id: string;
  readonly environment_id: string;
  readonly created_by: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** One that is in no organisation yet. */
export type NewWorkerQueue = Omit<StoredWorkerQueue, 'organization_id'>;

export interface WorkerQueue extends StoredWorkerQueue {
  /** Workers that are neither disconnected nor stale. */
  readonly active_workers: number;
}

export type CreateWorkerQueue = Pick<WorkerQueueFields, 'name'> & Patch<Omit<WorkerQueueFields, 'name' | 'status'>>;
/** A description of `null` clears it. */
export type UpdateWorkerQueue = Patch<Omit<WorkerQueueFields, 'description'> & { description: string | null }>;

export interface WorkerQueueFilter {
  readonly environment_id?: string;
  readonly status?: WorkerQueueStatus;
}

/** Which queue the work of an execution should go to. */
export interface QueueWanted {
  /** Id or name of the one queue to use; the other fields then only help to tell queues of the same name apart. */
  readonly queue?: string | null;
  /** Id or name of the one environment to use. */
  readonly environment?: string | null;
  /** Ids or names of the environments the agent or team belongs to; the default environment follows them. */
  readonly environmentIds?: readonly string[];
}

/** A queue that work can be put on. */
export interface QueuePlace {
  readonly id: string;
  readonly name: string;
  readonly status: WorkerQueueStatus;
  readonly environment_id: string;
  readonly environment_name: string;
  /** Workers that are neither disconnected nor stale. */
  readonly live_workers: number;
}

/** How many executions of some kind each of these queues has; one that is left out has none. Executions know it. */
export type CountByQueue = (queueIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;
