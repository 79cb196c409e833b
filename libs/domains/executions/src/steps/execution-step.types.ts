import type { JsonObject } from '@app/kernel';

export const STEP_STATUSES = ['pending', 'running', 'completed', 'failed', 'skipped', 'cancelled'] as const;
export type StepStatus = (typeof STEP_STATUSES)[number];

/** UTF-16 code units. */
export const MAX_STEP_OUTPUT_LENGTH = 65_536;
export const MAX_STEP_ERROR_LENGTH = 2_000;
/** Maximum size of the texts and usage of all steps of one execution, because they are always read together. */
export const MAX_STEPS_BYTES = 6 * 1_048_576;

/** The state of one step of an execution. */
export interface ExecutionStep {
  readonly name: string;
  readonly type: string;
  readonly status: StepStatus;
  /** Number of started attempts of the step, over all attempts of the execution. */
  readonly attempt: number;
  readonly output: string | null;
  readonly error_message: string | null;
  readonly started_at: Date | null;
  readonly completed_at: Date | null;
  readonly duration_ms: number | null;
  readonly usage: JsonObject;
}

/** The row of a step. It exists once the worker has reported the step. */
export interface StoredStep extends Omit<ExecutionStep, 'type'> {
  readonly organization_id: string;
  readonly execution_id: string;
}

/** A report replaces the earlier ones of the step. */
export interface SaveStep extends Omit<ExecutionStep, 'type' | 'duration_ms'> {}
