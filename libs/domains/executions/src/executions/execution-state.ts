/** The initial state is `pending`. Stored in lower case; requests may use any case. */
export const EXECUTION_STATUSES = [
  'pending',
  'running',
  'waiting_for_input',
  'paused',
  'completed',
  'failed',
  'cancelled',
  'terminated',
] as const;
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];

export const FINAL_STATUSES = ['completed', 'failed', 'cancelled', 'terminated'] as const satisfies ExecutionStatus[];

/** The statuses of executions that have not ended. */
export const OPEN_STATUSES = EXECUTION_STATUSES.filter((status) => !isFinal(status));

export function isFinal(status: ExecutionStatus): boolean {
  return (FINAL_STATUSES as readonly ExecutionStatus[]).includes(status);
}
