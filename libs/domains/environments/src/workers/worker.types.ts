import type { JsonObject } from '@app/kernel';
import type { WorkerQueueStatus } from '../worker-queues/worker-queue.types.js';

/** Stored states of a worker. `stale` is computed when a worker is read. */
export const CONNECTED_STATUSES = ['active', 'idle', 'busy'] as const;
export type ConnectedStatus = (typeof CONNECTED_STATUSES)[number];
export type StoredWorkerStatus = ConnectedStatus | 'disconnected';
export const WORKER_STATUSES = [...CONNECTED_STATUSES, 'disconnected', 'stale'] as const;
export type WorkerStatus = (typeof WORKER_STATUSES)[number];

/** A worker is stale after this many heartbeat intervals of its queue without a heartbeat. */
export const STALE_AFTER_HEARTBEATS = 3;

export interface StoredWorker {
  readonly id: string;
  readonly organization_id: string;
  readonly worker_queue_id: string;
  readonly status: StoredWorkerStatus;
  readonly hostname: string | null;
  /** The runner that the worker named at its start. */
  readonly runner_name: string | null;
  readonly worker_metadata: JsonObject;
  /** Ids of all runtimes of the worker; null: unknown. */
  readonly runtimes: readonly string[] | null;
  /** Types of the built-in skills of the worker; null: unknown. */
  readonly skills: readonly string[] | null;
  readonly last_heartbeat_at: Date;
  readonly disconnected_at: Date | null;
  /** Reported reason of the disconnection. */
  readonly reason: string | null;
  readonly exit_code: number | null;
  readonly error_message: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A worker as clients see it, with the names of its queue and environment. */
export interface Worker extends Omit<StoredWorker, 'status'> {
  readonly queue_name: string;
  readonly environment_id: string;
  readonly environment_name: string;
  readonly status: WorkerStatus;
}

export interface WorkerFilter {
  readonly status?: WorkerStatus;
  readonly worker_queue_id?: string;
  readonly runner_name?: string;
}

/** The number of workers of a queue with a status. */
export interface QueueWorkerCount {
  readonly queue_id: string;
  readonly status: Exclude<WorkerStatus, 'disconnected'>;
  readonly workers: number;
}

/** The connected workers of a queue by status. */
export type WorkerCounts = Readonly<Record<QueueWorkerCount['status'], number>>;

/** The number of workers of a queue that are neither disconnected nor stale. */
export interface LiveWorkers {
  readonly organization_id: string;
  readonly queue_id: string;
  readonly workers: number;
}

/** The number of live workers of a runner, and the newest heartbeat of all its workers. */
export interface RunnerWorkers {
  /** Those that are neither disconnected nor stale. */
  readonly active_workers: number;
  readonly last_heartbeat_at: Date;
}

/** Data of a worker at its start. */
export interface StartWorker {
  readonly hostname?: string | null;
  /** Default: `worker_metadata.runner_name`. */
  readonly runner_name?: string | null;
  readonly worker_metadata?: JsonObject;
  /** Ids of all its runtimes; null: unknown. */
  readonly runtimes?: readonly string[] | null;
  /** Types of its built-in skills; null: unknown. */
  readonly skills?: readonly string[] | null;
}

/** A start that names an environment instead of a queue id; default: the default environment. */
export interface RegisterWorker extends StartWorker {
  readonly environment_name?: string | null;
  /** Token of an environment, instead of its name. */
  readonly worker_token?: string | null;
  /** Id or name. Default: the queue `default` if it is active, otherwise the oldest active queue. */
  readonly worker_queue_name?: string | null;
}

/** Result of a start. */
export interface StartedWorker {
  readonly worker_id: string;
  readonly organization_id: string;
  readonly worker_queue_id: string;
  readonly queue_name: string;
  readonly environment_name: string;
  readonly runner_name: string | null;
  readonly heartbeat_interval: number;
}

export interface Heartbeat {
  readonly status?: ConnectedStatus;
  readonly worker_metadata?: JsonObject;
  readonly runtimes?: readonly string[];
  readonly skills?: readonly string[];
}

export interface HeartbeatResult {
  readonly worker_id: string;
  readonly worker_queue_id: string;
  readonly status: ConnectedStatus;
  readonly last_heartbeat_at: Date;
  /** Seconds. Workers learn of a changed interval from this field. */
  readonly heartbeat_interval: number;
}

/** The fields of a worker that a poll needs. */
export interface PollingWorker {
  readonly worker_id: string;
  /** The runner that the worker named, otherwise its hostname; null if it has neither. */
  readonly runner_name: string | null;
  readonly worker_status: StoredWorkerStatus;
  readonly worker_queue_id: string;
  readonly queue_status: WorkerQueueStatus;
  readonly heartbeat_interval: number;
  readonly environment_id: string;
  /** Ids of all runtimes that it has; null: unknown. */
  readonly runtimes: readonly string[] | null;
}

export interface DisconnectWorker {
  readonly reason?: string;
  readonly exit_code?: number | null;
  readonly error_message?: string | null;
}

/** The first disconnection of a worker. */
export interface DisconnectedWorker {
  readonly worker_id: string;
  readonly reason: string;
  readonly exit_code: number | null;
  readonly error_message: string | null;
  readonly disconnected_at: Date;
}
