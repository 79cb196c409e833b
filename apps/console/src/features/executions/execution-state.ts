import type { ControlPlaneComponents } from '@app/api-client';

export type ExecutionStatus = ControlPlaneComponents['schemas']['ExecutionSummaryResponse']['status'];

/** What a person can do with a run. */
export type Action = 'pause' | 'resume' | 'cancel' | 'rerun';

const FINAL: readonly Action[] = ['rerun'];
const ACTIONS: Readonly<Record<ExecutionStatus, readonly Action[]>> = {
  pending: ['cancel'],
  running: ['pause', 'cancel'],
  waiting_for_input: ['cancel'],
  paused: ['resume', 'cancel'],
  completed: FINAL,
  failed: FINAL,
  cancelled: FINAL,
  terminated: FINAL,
};

export const STATUSES = Object.keys(ACTIONS) as readonly ExecutionStatus[];

/** Returns what is possible in a status; a run that has ended can only be run again. */
export function actionsIn(status: ExecutionStatus): readonly Action[] {
  return ACTIONS[status];
}

export function isFinal(status: ExecutionStatus): boolean {
  return ACTIONS[status] === FINAL;
}

/** Statuses in which a run can be repeated because it did not succeed, and those in which it can be cancelled. */
export const BULK_STATUSES: Readonly<Record<'rerun' | 'cancel', readonly ExecutionStatus[]>> = {
  rerun: ['failed', 'cancelled', 'terminated'],
  cancel: STATUSES.filter((status) => !isFinal(status)),
};
