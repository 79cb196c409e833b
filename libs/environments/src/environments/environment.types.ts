import type { JsonObject, Patch } from '@app/kernel';

export const ENVIRONMENT_STATUSES = ['active', 'inactive', 'provisioning', 'ready', 'error'] as const;
export type EnvironmentStatus = (typeof ENVIRONMENT_STATUSES)[number];

/** Every organisation has an environment of this name. It can be neither deleted nor renamed. */
export const DEFAULT_ENVIRONMENT = 'default';

/** What a client may say of an environment. */
export interface EnvironmentFields {
  /** Unique in the organisation. */
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
  /** Names this environment when a worker registers; random, and of no use without a key of the organisation. */
  readonly worker_token: string;
  readonly provisioned_at: Date | null;
  readonly error_message: string | null;
  readonly created_by: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** One that is in no organisation yet. */
export type NewEnvironment = Omit<StoredEnvironment, 'organization_id'>;

export interface Environment extends StoredEnvironment {
  /** Workers that are neither disconnected nor stale, whatever they do. */
  readonly active_workers: number;
  readonly idle_workers: number;
  readonly busy_workers: number;
}

export type CreateEnvironment = Pick<EnvironmentFields, 'name'> & Patch<Omit<EnvironmentFields, 'name' | 'status'>>;
export type UpdateEnvironment = Patch<EnvironmentFields>;

/** What other resources show of an environment they belong to. */
export interface EnvironmentSummary {
  readonly id: string;
  readonly name: string;
  readonly display_name: string;
  readonly status: EnvironmentStatus;
}
