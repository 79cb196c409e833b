/** `pending` at first. Stored in lower case; accepted in any. */
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

export function isFinal(status: ExecutionStatus): boolean {
  return (FINAL_STATUSES as readonly ExecutionStatus[]).includes(status);
}

const NEXT: Record<ExecutionStatus, readonly ExecutionStatus[]> = {
  pending: ['running', ...FINAL_STATUSES],
  running: ['waiting_for_input', 'paused', ...FINAL_STATUSES],
  waiting_for_input: ['running', ...FINAL_STATUSES],
  paused: ['running', ...FINAL_STATUSES],
  completed: [],
  failed: [],
  cancelled: [],
  terminated: [],
};

/** Whether `to` may be written over `from`. The same status again is no change and always passes. */
export function mayBecome(from: ExecutionStatus, to: ExecutionStatus): boolean {
  return from === to || NEXT[from].includes(to);
}

/** Every status over which `to` may be written, `to` itself among them. */
export function sourcesOf(to: ExecutionStatus): readonly ExecutionStatus[] {
  return EXECUTION_STATUSES.filter((from) => mayBecome(from, to));
}
