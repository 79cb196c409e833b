import { expect } from '@jest/globals';
import { isFinal, type ExecutionStatus } from '../executions/execution-state.js';
import type { Timeline } from '../timeline/timeline.types.js';

/** The state with which the timeline of an execution must end. */
export interface ExpectedTimeline {
  readonly status: ExecutionStatus;
  readonly attempt: number;
  readonly leased: boolean;
  /** Whether no queue delivers the execution until it is resumed. */
  readonly suspended: boolean;
  /** The number of leases so far. */
  readonly leases: number;
}

/**
 * Checks that the transitions lead from the creation to the current status without a gap, and that the attempts match
 * them.
 */
export function expectTimeline({ status, attempts, transitions }: Timeline, expected: ExpectedTimeline): void {
  const isOpen = !isFinal(expected.status) && !expected.suspended;
  expect(transitions.map(({ from }) => from)).toEqual([null, ...transitions.slice(0, -1).map(({ to }) => to)]);
  expect(transitions.at(-1)).toMatchObject({ to: expected.status, attempt: expected.attempt });
  expect(status).toBe(expected.status);
  expect(attempts.filter(({ leased_at }) => leased_at !== null)).toHaveLength(expected.leases);
  for (const ended of isOpen ? attempts.slice(0, -1) : attempts) {
    expect(ended.ended_at).not.toBeNull();
    expect(ended.outcome).not.toBeNull();
    expect(ended.outcome).not.toBe('running');
  }
  if (!isOpen) return;
  const current = attempts.at(-1);
  expect(current).toMatchObject({ attempt: expected.attempt, ended_at: null });
  expect(current?.worker_id != null).toBe(expected.leased);
}
