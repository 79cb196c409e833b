import { FINAL_STATUSES, OPEN_STATUSES, type ExecutionStatus } from './execution-state.js';

/**
 * Conditions of statements and of the partial indexes for them. Both must have the same list: the planner compares
 * them.
 */
export const IS_OPEN = statusIn(OPEN_STATUSES);
export const IS_FINAL = statusIn(FINAL_STATUSES);

function statusIn(statuses: readonly ExecutionStatus[]): string {
  return `status IN (${statuses.map((status) => `'${status}'`).join(', ')})`;
}
