import type { JsonObject } from '@app/kernel';
import type { StartedRun } from '@app/orchestration';

/** The changes of a repetition compared with the execution. */
export interface RerunRequest {
  readonly prompt?: string | null;
  readonly system_prompt?: string | null;
  /** Parameters of the job's template or of the workflow; they replace those of the execution. */
  readonly parameters?: JsonObject;
  /** Overrides top-level keys of the configuration. */
  readonly config_override?: JsonObject;
  /** Id or name. If absent, a queue is chosen as for a first start. */
  readonly worker_queue_id?: string | null;
}

/** The outcome of a bulk action for one execution. `started` is set by a repetition. */
export interface BulkOutcome {
  readonly executionId: string;
  readonly started?: StartedRun;
  /** The error; absent if the action succeeded. */
  readonly error?: unknown;
}

export const BULK_ACTIONS = ['cancel', 'rerun'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];
