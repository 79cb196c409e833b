import type { EntityRef, JsonObject, Patch } from '@app/kernel';

export const WORKER_QUEUE_STATUSES = ['active', 'inactive', 'paused'] as const;
export type WorkerQueueStatus = (typeof WORKER_QUEUE_STATUSES)[number];

/** Name of the queue that every new organization has in its default environment. */
export const DEFAULT_WORKER_QUEUE = 'default';

/** Fields of a worker queue that a client can set. */
export interface WorkerQueueFields {
  /** Unique in its environment. */
  readonly name: string;
  readonly display_name: string;
  readonly description: string;
  readonly status: WorkerQueueStatus;
  /** Maximum number of live workers, which are neither disconnected nor stale; `null`: unlimited. */
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

/** A worker queue before it is stored in an organization. */
export type NewWorkerQueue = Omit<StoredWorkerQueue, 'organization_id'>;

export interface WorkerQueue extends StoredWorkerQueue {
  /** Workers that are neither disconnected nor stale. */
  readonly active_workers: number;
}

export type CreateWorkerQueue = Pick<WorkerQueueFields, 'name'> & Patch<Omit<WorkerQueueFields, 'name' | 'status'>>;
/** A `null` description clears it. */
export type UpdateWorkerQueue = Patch<Omit<WorkerQueueFields, 'description'> & { description: string | null }>;

export interface WorkerQueueFilter {
  readonly name?: string;
  readonly environment_id?: string;
  readonly status?: WorkerQueueStatus;
}

/**
 * What a run needs of its worker. A worker that does not declare its runtimes or skills counts as having all of them.
 */
export interface RunNeeds {
  /** The runtime without which the run cannot begin; null: any worker can begin it. */
  readonly runtime: string | null;
  /** The runtimes of the run and of everything that it may call. */
  readonly runtimes: readonly string[];
  /** The entities whose skills the run may have, except for environments. */
  readonly skillHolders: readonly EntityRef[];
  /** Ids or names of the environments whose skills the run has, wherever it runs. */
  readonly environmentIds: readonly string[];
}

/** Constraints on the queue of an execution. */
export interface QueueRequest {
  /** Absent: any worker can run it. */
  readonly needs?: RunNeeds;
  /** Id or name of the queue. If it is set, it must be in `environment` if given, and `environmentIds` is ignored. */
  readonly queue?: string | null;
  /** Id or name of the environment. */
  readonly environment?: string | null;
  /** Ids or names of the environments of the agent or team; the default environment is the fallback. */
  readonly environmentIds?: readonly string[];
  /**
   * Lists of ids or names of environments. Only queues in environments that are in every list are used, even if the
   * queue is named. A promise is awaited in parallel with the look-up of a named queue.
   */
  readonly restrictions?: Restrictions | Promise<Restrictions>;
}

type Restrictions = readonly (readonly string[])[];

/** A queue that can receive work. */
export interface RoutedQueue {
  readonly id: string;
  readonly name: string;
  readonly status: WorkerQueueStatus;
  readonly environment_id: string;
  readonly environment_name: string;
  /** Workers that are neither disconnected nor stale. */
  readonly live_workers: number;
  /** Live workers that have the runtime without which the run cannot begin. */
  readonly able_workers: number;
  /** Live workers that have all runtimes of the run. */
  readonly complete_workers: number;
  /**
   * The lowest and the highest of the skill sets that live workers declare, compared as texts. They differ if the
   * skills of the workers differ.
   */
  readonly first_skills: string | null;
  readonly last_skills: string | null;
}

/** Returns the name of a queue without a live worker, whose work waits until one connects; null if it has one. */
export function unservedName({ name, live_workers }: Pick<RoutedQueue, 'name' | 'live_workers'>): string | null {
  return live_workers === 0 ? name : null;
}

/** Returns the number of waiting executions by queue id; a queue without any has no entry. From libs/domains/executions. */
export type CountByQueue = (queueIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;
