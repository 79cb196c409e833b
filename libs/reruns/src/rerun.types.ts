import type { JsonObject } from '@app/kernel';
import type { StartedRun } from '@app/runs';

/** What a repetition of an execution changes. */
export interface RerunRequest {
  readonly prompt?: string | null;
  readonly system_prompt?: string | null;
  /** Parameters of the job's template or of the workflow; they replace those of the execution. */
  readonly parameters?: JsonObject;
  /** Overrides top-level keys of the configuration. */
  readonly config_override?: JsonObject;
  /** Id or name; without it, a queue is chosen as for a first start. */
  readonly worker_queue_id?: string | null;
}

/** What a bulk action did with one execution. `started` is set by a repetition. */
export interface BulkOutcome {
  readonly executionId: string;
  readonly started?: StartedRun;
  /** Why nothing was done; absent if something was. */
  readonly error?: unknown;
}

export const BULK_ACTIONS = ['cancel', 'rerun'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];
