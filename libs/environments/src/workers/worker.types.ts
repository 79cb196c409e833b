import type { JsonObject } from '@app/kernel';
import type { WorkerQueueStatus } from '../worker-queues/worker-queue.types.js';

/** What is stored of a worker's state. `stale` is never stored: it is what silence makes of a connected worker. */
export const CONNECTED_STATUSES = ['active', 'idle', 'busy'] as const;
export type ConnectedStatus = (typeof CONNECTED_STATUSES)[number];
export type StoredWorkerStatus = ConnectedStatus | 'disconnected';
export const WORKER_STATUSES = [...CONNECTED_STATUSES, 'disconnected', 'stale'] as const;
export type WorkerStatus = (typeof WORKER_STATUSES)[number];

/** A worker is stale when nothing was heard of it for this many heartbeat intervals of its queue. */
export const STALE_AFTER_HEARTBEATS = 3;

export interface Worker {
  readonly id: string;
  readonly organization_id: string;
  readonly worker_queue_id: string;
  readonly queue_name: string;
  readonly environment_id: string;
  readonly environment_name: string;
  readonly status: WorkerStatus;
  readonly hostname: string | null;
  readonly worker_metadata: JsonObject;
  readonly last_heartbeat_at: Date;
  readonly disconnected_at: Date | null;
  /** Why it disconnected, as it said itself. */
  readonly reason: string | null;
  readonly exit_code: number | null;
  readonly error_message: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface WorkerFilter {
  readonly status?: WorkerStatus;
  readonly worker_queue_id?: string;
}

/** What a worker says of itself when it starts. */
export interface StartWorker {
  readonly hostname?: string | null;
  readonly worker_metadata?: JsonObject;
}

/** A start that names a place instead of a queue. Without an environment it is the default one. */
export interface RegisterWorker extends StartWorker {
  readonly environment_name?: string | null;
  /** An environment's own token, in place of its name. */
  readonly worker_token?: string | null;
  /** Id or name; without it the queue `default`, or else the oldest active one. */
  readonly worker_queue_name?: string | null;
}

/** What a worker is told when it has started. */
export interface StartedWorker {
  readonly worker_id: string;
  readonly organization_id: string;
  readonly worker_queue_id: string;
  readonly queue_name: string;
  readonly environment_name: string;
  readonly heartbeat_interval: number;
}

export interface Heartbeat {
  readonly status?: ConnectedStatus;
  readonly worker_metadata?: JsonObject;
}

export interface HeartbeatTaken {
  readonly worker_id: string;
  readonly worker_queue_id: string;
  readonly status: ConnectedStatus;
  readonly last_heartbeat_at: Date;
  /** Seconds; a change of the queue's interval reaches its workers this way. */
  readonly heartbeat_interval: number;
}

/** What handing out work needs to know of the worker that asks. */
export interface PollingWorker {
  readonly worker_id: string;
  readonly worker_status: StoredWorkerStatus;
  readonly worker_queue_id: string;
  readonly queue_status: WorkerQueueStatus;
  readonly heartbeat_interval: number;
  readonly environment_id: string;
}

export interface DisconnectWorker {
  readonly reason?: string;
  readonly exit_code?: number | null;
  readonly error_message?: string | null;
}

/** What it said the first time it disconnected. */
export interface DisconnectedWorker {
  readonly worker_id: string;
  readonly reason: string;
  readonly exit_code: number | null;
  readonly error_message: string | null;
  readonly disconnected_at: Date;
}
