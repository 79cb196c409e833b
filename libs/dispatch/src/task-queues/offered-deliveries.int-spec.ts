import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { RedisConnections } from '@app/connections';
import { newId } from '@app/kernel';
import { countTo, createTestContext, eventually, type TestContext } from '@app/testing';
import fc from 'fast-check';
import { DispatchModule } from '../dispatch.module.js';
import type { Delivery } from './delivery.js';
import { QueueNotifications } from './queue-notifications.js';
import { TaskQueues } from './task-queues.js';

describe('new deliveries', () => {
  let context: TestContext;
  let other: TestContext;
  let queues: TaskQueues;

  beforeAll(async () => {
    context = await createTestContext([DispatchModule]);
    other = await createTestContext([DispatchModule], { shareWith: context });
    queues = context.get(TaskQueues);
  });

  afterAll(async () => {
    await other.close();
    await context.close();
  });

  const delivery = (executionId: string): Delivery => ({ organizationId: 'org', executionId, attempt: 1 });
  const once = { max: 100, waitMs: 0 };
  const waiting = { max: 2, waitMs: 20_000 };

  /** Hands a delivery over as soon as a poll of the queue waits, and calls `then` before the poll goes on. */
  async function offer(queue: string, id: string, then: () => void = () => undefined): Promise<void> {
    await eventually(() => {
      expect(context.get(QueueNotifications).offer(queue, delivery(id))).toBe(true);
      then();
    });
  }

  it('are offered to a poll that waits, as many as it takes, without Redis', async () => {
    const queue = newId();
    const { forQueues } = context.get(RedisConnections);
    const poll = queues.receive(queue, waiting);
    let rest: Promise<unknown> = Promise.resolve();
    let sent = -1;
    await offer(queue, 'a', () => {
      const commands = jest.spyOn(forQueues, 'sendCommand');
      rest = queues.deliver(queue, delivery('b'));
      sent = commands.mock.calls.length;
      commands.mockRestore();
      rest = Promise.all([rest, queues.deliver(queue, delivery('c'))]);
    });
    expect(await poll).toEqual([delivery('a'), delivery('b')]);
    await rest;
    expect(sent).toBe(0);
    expect(await queues.receive(queue, once)).toEqual([delivery('c')]);
  });

  it('are added to the queue if no poll of this process waits', async () => {
    const queue = newId();
    const elsewhere = other.get(TaskQueues).receive(queue, waiting);
    await queues.deliver(queue, delivery('a'));
    expect(await elsewhere).toEqual([delivery('a')]);
    await queues.deliver(queue, delivery('b'));
    expect(await queues.count(queue)).toBe(1);
  });

  it('are not offered while earlier ones are in the queue', async () => {
    const queue = newId();
    const poll = queues.receive(queue, waiting);
    await offer(queue, 'a', () => {
      context.get(QueueNotifications).wakeAll();
      expect(context.get(QueueNotifications).offer(queue, delivery('b'))).toBe(false);
    });
    expect(await poll).toEqual([delivery('a')]);
  });

  it('are added to the queue if the poll may not take them', async () => {
    const queue = newId();
    let isOpen = true;
    const poll = queues.receive(queue, { ...waiting, mayTake: () => Promise.resolve(isOpen) });
    await offer(queue, 'a', () => (isOpen = false));
    await eventually(async () => expect(await queues.count(queue)).toBe(1));
    isOpen = true;
    await queues.wake(queue);
    expect(await poll).toEqual([delivery('a')]);
  });

  it.each([
    ['whose client leaves', undefined],
    ['that may no longer poll', new Error('the worker is disconnected')],
  ])('are added to the queue if they were offered to a poll %s', async (_which, error) => {
    const queue = newId();
    const leave = new AbortController();
    let isConnected = true;
    const mayTake = (): Promise<boolean> =>
      isConnected || error === undefined ? Promise.resolve(true) : Promise.reject(error);
    const poll = queues.receive(queue, { ...waiting, signal: leave.signal, mayTake });
    const ended = poll.catch((reason: unknown) => reason);
    await offer(queue, 'a', () => {
      isConnected = false;
      if (error === undefined) leave.abort();
    });
    expect(await ended).toEqual(error ?? []);
    expect(await queues.receive(queue, once)).toEqual([delivery('a')]);
  });

  it('are received exactly once, whatever the polls of several processes do', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('deliver' as const), by: fc.nat(1), count: fc.integer({ min: 1, max: 4 }) }),
      fc.record({ kind: fc.constant('poll' as const), by: fc.nat(1), max: fc.integer({ min: 1, max: 3 }) }),
      fc.record({ kind: fc.constant('leave' as const), which: fc.nat(4) }),
      fc.record({ kind: fc.constant('pause' as const) }),
      fc.record({ kind: fc.constant('resume' as const) }),
      fc.record({ kind: fc.constant('wait' as const), turns: fc.integer({ min: 1, max: 3 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
        const queue = newId();
        const processes = [queues, other.get(TaskQueues)];
        const polls: { readonly received: Promise<Delivery[]>; readonly leave: AbortController }[] = [];
        const delivered: string[] = [];
        const sending: Promise<void>[] = [];
        let isOpen = true;
        const by = (index: number): TaskQueues => processes[index] ?? queues;
        for (const next of steps) {
          if (next.kind === 'deliver') {
            for (const id of countTo(next.count).map(() => newId())) {
              delivered.push(id);
              sending.push(by(next.by).deliver(queue, delivery(id)));
            }
          } else if (next.kind === 'poll') {
            const leave = new AbortController();
            const mayTake = (): Promise<boolean> => Promise.resolve(isOpen);
            const options = { max: next.max, waitMs: 20_000, signal: leave.signal, mayTake };
            polls.push({ received: by(next.by).receive(queue, options), leave });
          } else if (next.kind === 'leave') polls[next.which]?.leave.abort();
          else if (next.kind === 'pause') isOpen = false;
          else if (next.kind === 'resume') {
            isOpen = true;
            sending.push(queues.wake(queue));
          } else for (let turn = 0; turn < next.turns; turn += 1) await queues.count(queue);
        }
        await Promise.all(sending);
        for (const { leave } of polls) leave.abort();
        const received = (await Promise.all(polls.map((poll) => poll.received))).flat();
        const left = await queues.receive(queue, once);
        expect([...received, ...left].map(({ executionId }) => executionId).sort()).toEqual([...delivered].sort());
      }),
      { numRuns: 150 },
    );
  });
});
