import { isFinal } from '../executions/execution-state.js';
import type { CommandName, LifecycleRow } from './lifecycle.types.js';

/**
 * Where an execution is in its life. `held`: waits for the end of another one of its session. `queued`: waits in its
 * queue, or for the time of its next attempt. `leased`: a worker has it and has not begun. `unqueued`: the client that created it has not begun. `running`, `waiting`,
 * `paused`: begun, by the holder of the lease or by a client without one. `parked_*`: begun and without a lease, in no
 * queue until it is resumed.
 */
export const PHASES = [
  ...(['held', 'queued', 'leased', 'unqueued', 'running', 'waiting', 'paused'] as const),
  ...(['parked_waiting', 'parked_paused', 'completed', 'failed', 'cancelled', 'terminated'] as const),
] as const;
export type Phase = (typeof PHASES)[number];

/**
 * What a command does in a phase. `keep` repeats the status. `begin` and `continue` lead to `running`, `queue` to a
 * queue. `fail` ends the execution or leads to its next attempt, `release` and `time_out` as well.
 */
export type Effect =
  | 'begin'
  | 'continue'
  | 'queue'
  | 'await'
  | 'pause'
  | 'park'
  | 'end'
  | 'fail'
  | 'keep'
  | 'report'
  | 'release'
  | 'time_out'
  | 'abandon';

const ENDS = { complete: 'end', cancel: 'end', terminate: 'end', fail: 'fail', report: 'report' } as const;
const BEGUN = { ...ENDS, run: 'continue', resume: 'continue', release: 'release', time_out: 'time_out' } as const;
const PARKED = { ...ENDS, run: 'queue', resume: 'queue' } as const;
const NEW = { ...ENDS, run: 'begin', reset: 'keep' } as const;

/** Everything that can happen to an execution: what each command does in each phase. Absent: it is refused. */
export const EFFECTS: Readonly<Record<Phase, Readonly<Partial<Record<CommandName, Effect>>>>> = {
  held: { ...ENDS, reset: 'keep', take_turn: 'queue' },
  queued: { ...NEW, abandon: 'abandon' },
  leased: { ...NEW, release: 'release', time_out: 'time_out' },
  unqueued: NEW,
  running: { ...BEGUN, run: 'keep', resume: 'keep', await_input: 'await', pause: 'pause', suspend: 'park' },
  waiting: { ...BEGUN, await_input: 'keep', suspend: 'park' },
  paused: { ...BEGUN, pause: 'keep' },
  parked_waiting: { ...PARKED, await_input: 'keep', wake: 'queue' },
  parked_paused: { ...PARKED, pause: 'keep' },
  completed: { report: 'report', complete: 'keep' },
  failed: { report: 'report', fail: 'keep' },
  cancelled: { report: 'report', cancel: 'keep' },
  terminated: { report: 'report', terminate: 'keep' },
};

/** Returns the phase of an execution. */
export function phaseOf(
  row: Pick<LifecycleRow, 'status' | 'lease_expires_at' | 'worker_queue_id' | 'queued_at'>,
): Phase {
  const { status } = row;
  if (isFinal(status)) return status as Phase;
  const isLeased = row.lease_expires_at !== null;
  if (status === 'pending') {
    if (isLeased) return 'leased';
    if (row.worker_queue_id === null) return 'unqueued';
    return row.queued_at === null ? 'held' : 'queued';
  }
  if (status === 'running') return 'running';
  const isParked = !isLeased && row.worker_queue_id !== null && row.queued_at === null;
  if (status === 'paused') return isParked ? 'parked_paused' : 'paused';
  return isParked ? 'parked_waiting' : 'waiting';
}
