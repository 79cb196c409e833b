/**
 * `due`: must be started. `missed`: is older than the catch-up window and must be reported in the history. `queued`:
 * waits for the end of the previous run. `started`, `reported` (after `missed`) and `skipped` are final.
 */
export type InstantState = 'due' | 'missed' | 'queued' | 'started' | 'reported' | 'skipped';

/** A row of `job_instants`. */
export interface JobInstant {
  readonly job_id: string;
  /** The scheduled time. */
  readonly instant: Date;
  readonly organization_id: string;
  readonly state: InstantState;
  /**
   * Time from which a dispatcher takes the instant; null in a final state, and while it waits in the queue after
   * another instant of the job.
   */
  readonly due_at: Date | null;
  /** How often dispatchers have taken the instant. */
  readonly attempts: number;
  readonly execution_id: string | null;
}

/** Identifies an instant. */
export type InstantRef = Pick<JobInstant, 'job_id' | 'instant'>;
