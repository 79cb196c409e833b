import type { JsonObject, Patch } from '@app/kernel';

export const ENVIRONMENT_STATUSES = ['active', 'inactive', 'provisioning', 'ready', 'error'] as const;
export type EnvironmentStatus = (typeof ENVIRONMENT_STATUSES)[number];

/** Name of the environment that every organization has. It cannot be deleted or renamed. */
export const DEFAULT_ENVIRONMENT = 'default';

/** Fields of an environment that a client can set. */
export interface EnvironmentFields {
  /** Unique in the organization. */
  readonly name: string;
  readonly display_name: string;
  readonly description: string | null;
  readonly tags: string[];
  readonly settings: JsonObject;
  readonly execution_environment: JsonObject;
  readonly status: EnvironmentStatus;
}

export interface StoredEnvironment extends EnvironmentFields {
  readonly id: string;
  readonly organization_id: string;
  /** Identifies this environment when a worker registers. Random; useless without an API key of the organization. */
  readonly worker_token: string;
  readonly provisioned_at: Date | null;
  readonly error_message: string | null;
  readonly created_by: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** An environment before it is stored in an organization. */
export type NewEnvironment = Omit<StoredEnvironment, 'organization_id'>;

/** Numbers of live workers: those that are neither disconnected nor stale. */
export interface LiveWorkerCounts {
  /** In any state. */
  readonly active_workers: number;
  readonly idle_workers: number;
  readonly busy_workers: number;
}

export interface Environment extends StoredEnvironment, LiveWorkerCounts {}

export type CreateEnvironment = Pick<EnvironmentFields, 'name'> & Patch<Omit<EnvironmentFields, 'name' | 'status'>>;
export type UpdateEnvironment = Patch<EnvironmentFields>;

/** Fields of an environment that responses for other resources contain. */
export interface EnvironmentSummary {
  readonly id: string;
  readonly name: string;
  readonly display_name: string;
  readonly status: EnvironmentStatus;
}
