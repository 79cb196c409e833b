import type { JsonObject, Patch } from '@app/kernel';

/** The fields a client can set. */
export interface RunnerFields {
  /** Unique in the organization; workers belong to the runner with the name that they send. */
  readonly name: string;
  readonly description: string | null;
  readonly labels: JsonObject;
  readonly configuration: JsonObject;
  readonly tags: string[];
  readonly metadata: JsonObject;
}

/** An installation of workers, for example a machine or a deployment. */
export interface Runner extends RunnerFields {
  readonly id: string;
  readonly organization_id: string;
  /** Start of its newest worker; null before the first worker has started. */
  readonly last_started_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Row of a new runner, without its organization. */
export type NewRunner = Omit<Runner, 'organization_id'>;
export type CreateRunner = Pick<RunnerFields, 'name'> & Patch<Omit<RunnerFields, 'name'>>;
export type UpdateRunner = Patch<RunnerFields>;

export interface RunnerFilter {
  readonly name?: string;
  readonly tag?: string;
}
