import type { ControlPlaneComponents } from '@app/api-client';

export type ExecutionStatus = ControlPlaneComponents['schemas']['ExecutionSummaryResponse']['status'];

export const STATUSES: readonly ExecutionStatus[] = [
  'pending',
  'running',
  'waiting_for_input',
  'paused',
  'completed',
  'failed',
  'cancelled',
  'terminated',
];

/** What a person can do with a run. */
export type Action = 'pause' | 'resume' | 'cancel' | 'rerun';

const ACTIONS: Readonly<Record<string, readonly Action[]>> = {
  pending: ['cancel'],
  running: ['pause', 'cancel'],
  paused: ['resume', 'cancel'],
  waiting_for_input: ['cancel'],
};

/** Returns what is possible in a status; a run that has ended can only be run again. */
export function actionsIn(status: ExecutionStatus): readonly Action[] {
  return ACTIONS[status] ?? ['rerun'];
}

export function isFinal(status: ExecutionStatus): boolean {
  return ACTIONS[status] === undefined;
}
