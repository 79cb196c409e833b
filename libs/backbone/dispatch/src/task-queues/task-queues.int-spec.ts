import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { RedisConnections } from '@app/redis';
import { Clock, newId } from '@app/kernel';
import { createTestContext, eventually, type TestContext } from '@app/testing';
import { DispatchModule } from '../dispatch.module.js';
import { Outbox } from '../outbox/outbox.js';
import { BullQueues } from './bull-queues.js';
import { jobIdOf, type Delivery } from './delivery.js';
import { RedisRestartDetector } from './redis-restart-detector.js';
import { QueueNotifications } from './queue-notifications.js';
import { taskQueueDeleted } from './task-queue-deleted.handler.js';
import { TaskQueues } from './task-queues.js';

describe('task queues', () => {
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

  const delivery = (executionId: string, attempt = 1): Delivery => ({ organizationId: 'org', executionId, attempt });
  const once = { max: 100, waitMs: 0 };

  it('return each delivery once, in order', async () => {
    const queue = newId();
    const deliveries = ['a', 'b', 'c'].map((id) => delivery(id));
    await queues.enqueue(queue, ...deliveries);
    expect(await queues.count(queue)).toBe(3);
    expect(await queues.receive(queue, { ...once, max: 2 })).toEqual(deliveries.slice(0, 2));
    expect(await other.get(TaskQueues).receive(queue, once)).toEqual(deliveries.slice(2));
    expect(await queues.receive(queue, once)).toEqual([]);
  });

  it('need one command per delivery and one more to return several', async () => {
    const queue = newId();
    const deliveries = ['a', 'b', 'c', 'd'].map((id) => delivery(id));
    await queues.enqueue(queue, ...deliveries);
    const commands = jest.spyOn(context.get(RedisConnections).forQueues, 'sendCommand');
    const taken = await queues.receive(queue, { ...once, max: 3 });
    const sent = commands.mock.calls.length;
    commands.mockRestore();
    expect([taken, sent]).toEqual([deliveries.slice(0, 3), 4]);
    expect(await queues.receive(queue, once)).toEqual(deliveries.slice(3));
  });

  it('contain the same delivery once, and a delivery of another attempt in addition', async () => {
    const queue = newId();
    const id = 'run:2026.01-01_a';
    await queues.enqueue(queue, delivery(id));
    await queues.enqueue(queue, delivery(id), delivery(id, 2));
    expect(await queues.receive(queue, once)).toEqual([delivery(id), delivery(id, 2)]);
    await queues.enqueue(queue, delivery(id));
    expect(await queues.receive(queue, once)).toEqual([delivery(id)]);
  });

  it('distinguish executions with the same id in two organizations', () => {
    expect(jobIdOf({ ...delivery('run'), organizationId: 'one' })).not.toBe(
      jobIdOf({ ...delivery('run'), organizationId: 'two' }),
    );
    expect(jobIdOf(delivery('a:b.c'))).toMatch(/^[0-9a-f]{32}-1$/);
  });

  it('wake one waiting poll per delivery, in any process', async () => {
    const queue = newId();
    const waits = [queues, queues, other.get(TaskQueues)].map((by) => by.receive(queue, { max: 1, waitMs: 5000 }));
    await queues.enqueue(queue, delivery('a'), delivery('b'), delivery('c'));
    const received = (await Promise.all(waits)).flat().map(({ executionId }) => executionId);
    expect(received.sort()).toEqual(['a', 'b', 'c']);
  });

  it('wake all polls of a queue on request, even without a new delivery', async () => {
    const queue = newId();
    let open = false;
    await queues.enqueue(queue, delivery('a'), delivery('b'));
    const gates = [newGate(() => open), newGate(() => open)];
    const waits = gates.map(({ mayTake }) => queues.receive(queue, { max: 1, waitMs: 5000, mayTake }));
    await Promise.all(gates.map(({ called }) => called));
    open = true;
    await other.get(TaskQueues).wake(queue);
    expect((await Promise.all(waits)).flat()).toEqual(expect.arrayContaining([delivery('a'), delivery('b')]));
  });

  it('pass on the notification of a poll that ended before its next read', async () => {
    const notifications = context.get(QueueNotifications);
    const queue = newId();
    const [ending, staying] = [notifications.wait(queue), notifications.wait(queue)];
    await notifications.notifyOne(queue);
    await ending.notified();
    const passedOn = staying.notified();
    ending.close();
    await passedOn;
    staying.close();
  });

  it('pass on the notification of a poll whose read failed', async () => {
    const queue = newId();
    let isConnected = true;
    let open = false;
    const gates = [newGate(() => open), newGate(() => open)];
    const [failing, working] = gates.map((gate, index) => {
      const mayTake = async (): Promise<boolean> => {
        if (index === 0 && !isConnected) throw new Error('the worker is disconnected');
        return gate.mayTake();
      };
      return queues.receive(queue, { max: 1, waitMs: 20_000, mayTake });
    });
    const failure = failing?.catch((error: unknown) => error);
    await Promise.all(gates.map(({ called }) => called));
    isConnected = false;
    open = true;
    await queues.enqueue(queue, delivery('a'));
    expect(await failure).toEqual(new Error('the worker is disconnected'));
    expect(await working).toEqual([delivery('a')]);
  });

  it('return deliveries that were taken before Redis failed', async () => {
    const failingQueues = new FailingQueues(context.get(RedisConnections));
    const failing = new TaskQueues(failingQueues, context.get(QueueNotifications), context.get(Clock));
    const queue = newId();
    const deliveries = ['a', 'b', 'c'].map((id) => delivery(id));
    await queues.enqueue(queue, ...deliveries);
    failingQueues.takesLeft = 2;
    expect(await failing.receive(queue, once)).toEqual(deliveries.slice(0, 2));
    await expect(failing.receive(queue, once)).rejects.toThrow('the connection is lost');
    expect(await queues.receive(queue, once)).toEqual(deliveries.slice(2));
  });

  it('need no connection per queue', async () => {
    const connections = context.get(RedisConnections);
    const { commands, subscriptions } = connections;
    const [server] = await connections.primaries();
    // Other test files use other databases of the same server at the same time.
    const own = ` db=${server?.options.db} `;
    const clients = async (): Promise<number> =>
      String(await commands.client('LIST'))
        .split('\n')
        .filter((client) => client.includes(own)).length;
    await queues.enqueue(newId(), delivery('first'));
    await queues.receive(newId(), once);
    await subscriptions.open(`test:${newId()}`, { onMessage: () => undefined });
    const before = await clients();
    expect(before).toBeGreaterThan(0);
    for (let index = 0; index < 50; index += 1) {
      const queue = newId();
      await queues.enqueue(queue, delivery('x'));
      await queues.receive(queue, once);
    }
    expect(await clients()).toBeLessThanOrEqual(before);
  });

  it('detect that Redis was replaced or lost its data', async () => {
    const detector = context.get(RedisRestartDetector);
    const run = await detector.unseenRun();
    if (run === undefined) throw new Error('The server counts as marked');
    expect(run).toEqual({ id: expect.stringMatching(/^[0-9a-f]{40}$/), past: 'unknown' });
    await detector.markSeen(run);
    expect(await detector.unseenRun()).toBeUndefined();
    await detector.markSeen({ ...run, id: 'another' });
    expect(await detector.unseenRun()).toEqual({ ...run, past: 'kept' });
    await context.get(RedisConnections).commands.flushdb();
    expect(await detector.unseenRun()).toEqual({ ...run, past: 'lost' });
  });

  it('leave no key in Redis when they are deleted, even with deliveries in them', async () => {
    const queue = newId();
    await queues.enqueue(queue, ...['a', 'b', 'c'].map((id) => delivery(id)));
    expect(await queues.receive(queue, { ...once, max: 1 })).toHaveLength(1);
    const { commands } = context.get(RedisConnections);
    expect(await commands.keys(`*${queue}*`)).not.toEqual([]);
    await context.get(Outbox).add(taskQueueDeleted, { queueId: queue });
    await eventually(async () => expect(await commands.keys(`*${queue}*`)).toEqual([]));
    await context.get(Outbox).add(taskQueueDeleted, { queueId: queue });
    await eventually(async () => expect(await context.database.sql('SELECT topic FROM outbox')).toEqual([]));
    expect(await commands.keys(`*${queue}*`)).toEqual([]);
  });

  it('leave no key in Redis when a process removes or counts deliveries after they were deleted', async () => {
    const queue = newId();
    const { commands } = context.get(RedisConnections);
    await queues.enqueue(queue, delivery('a'));
    await context.get(BullQueues).delete(queue);
    for (const process of [context, other]) {
      await process.get(TaskQueues).remove(queue, delivery('a'));
      expect(await process.get(BullQueues).count(queue)).toBe(0);
    }
    expect(await commands.keys(`*${queue}*`)).toEqual([]);
    await queues.enqueue(queue, delivery('b'));
    expect(await commands.hget(`bull:{work.${queue}}:meta`, 'opts.maxLenEvents')).toBe('10');
    await context.get(BullQueues).delete(queue);
  });

  it('end a wait when its signal is aborted', async () => {
    const leave = new AbortController();
    const gate = newGate(() => false);
    const startedAt = performance.now();
    const { mayTake } = gate;
    const waiting = queues.receive(newId(), { max: 1, waitMs: 60_000, mayTake, signal: leave.signal });
    await gate.called;
    setImmediate(() => leave.abort());
    expect(await waiting).toEqual([]);
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });

  it('end the waits of a process that stops', async () => {
    const stopping = await createTestContext([DispatchModule], { shareWith: context });
    const gate = newGate(() => false);
    const waiting = stopping.get(TaskQueues).receive(newId(), { max: 1, waitMs: 60_000, mayTake: gate.mayTake });
    await gate.called;
    await stopping.close();
    expect(await waiting).toEqual([]);
  });
});

/** Queues whose reads fail after a number of deliveries. */
class FailingQueues extends BullQueues {
  takesLeft = Number.POSITIVE_INFINITY;

  override async *take(queueId: string, max: number): AsyncGenerator<Delivery> {
    const allowed = Math.min(max, this.takesLeft);
    this.takesLeft -= allowed;
    if (allowed > 0) yield* super.take(queueId, allowed);
    if (allowed < max) throw new Error('the connection is lost');
  }
}

/** A `mayTake` callback, and a promise that resolves at its first call. */
function newGate(isOpen: () => boolean): { readonly mayTake: () => Promise<boolean>; readonly called: Promise<void> } {
  let onCall: () => void = () => undefined;
  const called = new Promise<void>((resolve) => (onCall = resolve));
  const mayTake = async (): Promise<boolean> => {
    onCall();
    return isOpen();
  };
  return { mayTake, called };
}
