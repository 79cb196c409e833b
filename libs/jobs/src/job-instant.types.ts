/**
 * `due`: is to be started. `missed`: lies before the catch-up window, is to be recorded in the history. `queued`: waits for
 * the end of the run before it. `started`, `reported` (a missed one) and `skipped` are final.
 */
export type InstantState = 'due' | 'missed' | 'queued' | 'started' | 'reported' | 'skipped';

/** A row of `job_instants`. */
export interface JobInstant {
  readonly job_id: string;
  /** A time of the schedule. */
  readonly instant: Date;
  readonly organization_id: string;
  readonly state: InstantState;
  /** When a dispatcher takes the instant next; null in a final state and behind another queued instant of the job. */
  readonly due_at: Date | null;
  /** How often a dispatcher has taken it. */
  readonly attempts: number;
  readonly execution_id: string | null;
}

/** Identifies an instant. */
export type InstantRef = Pick<JobInstant, 'job_id' | 'instant'>;
