import { replyTo } from '../ipc.js';

/** Executions that finished, and times of those that started, since the previous request of the tally. */
export interface Tally {
  readonly finished: number;
  /** On the clock of `monotonicMs`. */
  readonly lastFinishedAt: number;
  /** Time from sending the trigger to the arrival of the work at its worker, in milliseconds. */
  readonly triggerToLease: readonly number[];
}

export interface TallyKeeper {
  started(triggerToLeaseMs: number): void;
  finished(): void;
}

/** Milliseconds of a monotonic clock that all processes of the machine share, unlike `performance.now()`. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Replies to `finished` with the count so far, and to `tally` with the tally, which is then reset. */
export function keepTally(): TallyKeeper {
  let finished = 0;
  let lastFinishedAt = 0;
  let triggerToLease: number[] = [];
  replyTo('finished', () => finished);
  replyTo('tally', (): Tally => {
    const tally = { finished, lastFinishedAt, triggerToLease };
    finished = 0;
    triggerToLease = [];
    return tally;
  });
  return {
    started: (ms) => triggerToLease.push(ms),
    finished: () => {
      finished += 1;
      lastFinishedAt = monotonicMs();
    },
  };
}
