import { describe, expect, it } from '@jest/globals';
import type { QueueLoad } from './overview.queries';
import { byWait, isAbandoned, sumQueues } from './queue-figures';

const queue = (queue_name: string, fields: Partial<QueueLoad> = {}): QueueLoad => ({
  queue_id: queue_name,
  queue_name,
  environment_id: 'e',
  environment_name: 'default',
  status: 'active',
  max_workers: null,
  waiting: 0,
  oldest_waiting_at: null,
  running: 0,
  paused: 0,
  waiting_for_input: 0,
  oldest_waiting_for_input_at: null,
  workers: { active: 0, idle: 0, busy: 0, stale: 0 },
  at: '2026-11-27T10:00:00.000Z',
  ...fields,
});
const early = queue('early', { waiting: 2, oldest_waiting_at: '2026-11-27T09:00:00.000Z' });
const late = queue('late', {
  waiting: 1,
  oldest_waiting_at: '2026-11-27T09:30:00.000Z',
  running: 3,
  workers: { active: 1, idle: 1, busy: 2, stale: 4 },
});

describe('the figures of the queues', () => {
  it('are sums, with the longest wait', () => {
    expect(sumQueues([late, early])).toEqual({
      running: 3,
      waiting: 3,
      oldestWaitingAt: '2026-11-27T09:00:00.000Z',
      waitingForInput: 0,
      oldestWaitingForInputAt: null,
      aliveWorkers: 4,
      knownWorkers: 8,
    });
  });

  it('say that nobody takes what waits only if no worker is alive', () => {
    expect([early, late, queue('idle')].map(isAbandoned)).toEqual([true, false, false]);
  });

  it('stand in the order of the longest wait', () => {
    const names = byWait([queue('b'), late, queue('a'), early]).map(({ queue_name }) => queue_name);
    expect(names).toEqual(['early', 'late', 'a', 'b']);
  });
});
