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

const NEXT_STATUSES: Record<ExecutionStatus, readonly ExecutionStatus[]> = {
  pending: ['running', ...FINAL_STATUSES],
  running: ['waiting_for_input', 'paused', ...FINAL_STATUSES],
  waiting_for_input: ['running', ...FINAL_STATUSES],
  paused: ['running', ...FINAL_STATUSES],
  completed: [],
  failed: [],
  cancelled: [],
  terminated: [],
};

/** Returns whether `from` may change to `to`. A repeated status is not a change and is always allowed. */
export function mayBecome(from: ExecutionStatus, to: ExecutionStatus): boolean {
  return from === to || NEXT_STATUSES[from].includes(to);
}

/** Returns every status that may change to `to`, including `to` itself. */
export function sourcesOf(to: ExecutionStatus): readonly ExecutionStatus[] {
  return EXECUTION_STATUSES.filter((from) => mayBecome(from, to));
}
