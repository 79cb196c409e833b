import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RedisConnections } from '@app/connections';
import { Clock, newId } from '@app/kernel';
import { createTestContext, type TestContext } from '@app/testing';
import { DispatchModule } from '../dispatch.module.js';
import { BullQueues } from './bull-queues.js';
import { jobIdOf, type Delivery } from './delivery.js';
import { StoreWatch } from './store-watch.js';
import { TaskQueues } from './task-queues.js';
import { WakeUps } from './wake-ups.js';

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
  const look = { max: 100, waitMs: 0 };

  it('hand out what they were given, in order, once', async () => {
    const queue = newId();
    const given = ['a', 'b', 'c'].map((id) => delivery(id));
    await queues.enqueue(queue, ...given);
    expect(await queues.count(queue)).toBe(3);
    expect(await queues.receive(queue, { ...look, max: 2 })).toEqual(given.slice(0, 2));
    expect(await other.get(TaskQueues).receive(queue, look)).toEqual(given.slice(2));
    expect(await queues.receive(queue, look)).toEqual([]);
  });

  it('hold the same delivery once, and another attempt beside it', async () => {
    const queue = newId();
    const strange = 'run:2026.01-01_a';
    await queues.enqueue(queue, delivery(strange));
    await queues.enqueue(queue, delivery(strange), delivery(strange, 2));
    expect(await queues.receive(queue, look)).toEqual([delivery(strange), delivery(strange, 2)]);
    await queues.enqueue(queue, delivery(strange));
    expect(await queues.receive(queue, look)).toEqual([delivery(strange)]);
  });

  it('tell executions of the same name in two organisations apart', () => {
    expect(jobIdOf({ ...delivery('run'), organizationId: 'one' })).not.toBe(
      jobIdOf({ ...delivery('run'), organizationId: 'two' }),
    );
    expect(jobIdOf(delivery('a:b.c'))).toMatch(/^[0-9a-f]{32}-1$/);
  });

  it('wake one waiting poll for each delivery, in whichever process it waits', async () => {
    const queue = newId();
    const waits = [queues, queues, other.get(TaskQueues)].map((by) => by.receive(queue, { max: 1, waitMs: 5000 }));
    await queues.enqueue(queue, delivery('a'), delivery('b'), delivery('c'));
    const received = (await Promise.all(waits)).flat().map(({ executionId }) => executionId);
    expect(received.sort()).toEqual(['a', 'b', 'c']);
  });

  it('wake all polls of a queue that were told to look again, though nothing was added', async () => {
    const queue = newId();
    let open = false;
    await queues.enqueue(queue, delivery('a'), delivery('b'));
    const gates = [newGate(() => open), newGate(() => open)];
    const waits = gates.map(({ mayTake }) => queues.receive(queue, { max: 1, waitMs: 5000, mayTake }));
    await Promise.all(gates.map(({ asked }) => asked));
    open = true;
    await other.get(TaskQueues).wake(queue);
    expect((await Promise.all(waits)).flat()).toEqual(expect.arrayContaining([delivery('a'), delivery('b')]));
  });

  it('pass a wake-up on that came to a poll which ended before it looked', async () => {
    const wakeUps = context.get(WakeUps);
    const queue = newId();
    const [ending, staying] = [wakeUps.wait(queue), wakeUps.wait(queue)];
    await wakeUps.announce(queue);
    await ending.wakeUp();
    const passedOn = staying.wakeUp();
    ending.end();
    await passedOn;
    staying.end();
  });

  it('pass a wake-up on that came to a poll which failed when it looked', async () => {
    const queue = newId();
    let known = true;
    let open = false;
    const gates = [newGate(() => open), newGate(() => open)];
    const [failing, working] = gates.map((gate, index) => {
      const mayTake = async (): Promise<boolean> => {
        if (index === 0 && !known) throw new Error('this worker is not known any more');
        return gate.mayTake();
      };
      return queues.receive(queue, { max: 1, waitMs: 20_000, mayTake });
    });
    const failure = failing?.catch((error: unknown) => error);
    await Promise.all(gates.map(({ asked }) => asked));
    known = false;
    open = true;
    await queues.enqueue(queue, delivery('a'));
    expect(await failure).toEqual(new Error('this worker is not known any more'));
    expect(await working).toEqual([delivery('a')]);
  });

  it('hand out what they took before the store failed', async () => {
    const troubled = new TroubledQueues(context.get(RedisConnections));
    const failing = new TaskQueues(troubled, context.get(WakeUps), context.get(Clock));
    const queue = newId();
    const given = ['a', 'b', 'c'].map((id) => delivery(id));
    await queues.enqueue(queue, ...given);
    troubled.takesLeft = 2;
    expect(await failing.receive(queue, look)).toEqual(given.slice(0, 2));
    await expect(failing.receive(queue, look)).rejects.toThrow('the store went away');
    expect(await queues.receive(queue, look)).toEqual(given.slice(2));
  });

  it('need no connection of their own', async () => {
    const { commands, subscriptions } = context.get(RedisConnections);
    // Test files that run beside this one have databases of their own on the same server.
    const own = ` db=${commands.options.db} `;
    const clients = async (): Promise<number> =>
      String(await commands.client('LIST'))
        .split('\n')
        .filter((client) => client.includes(own)).length;
    await queues.enqueue(newId(), delivery('first'));
    await queues.receive(newId(), look);
    await subscriptions.open(`test:${newId()}`, { onMessage: () => undefined });
    const before = await clients();
    expect(before).toBeGreaterThan(0);
    for (let index = 0; index < 50; index += 1) {
      const queue = newId();
      await queues.enqueue(queue, delivery('x'));
      await queues.receive(queue, look);
    }
    expect(await clients()).toBeLessThanOrEqual(before);
  });

  it('notice a store that is not the one last seen', async () => {
    const watch = context.get(StoreWatch);
    const run = await watch.unseenRun();
    if (run === undefined) throw new Error('A store without a mark was taken for one that was seen');
    expect(run).toEqual({ id: expect.stringMatching(/^[0-9a-f]{40}$/), past: 'unknown' });
    await watch.markSeen(run);
    expect(await watch.unseenRun()).toBeUndefined();
    await watch.markSeen({ ...run, id: 'another' });
    expect(await watch.unseenRun()).toEqual({ ...run, past: 'kept' });
    await context.get(RedisConnections).commands.flushdb();
    expect(await watch.unseenRun()).toEqual({ ...run, past: 'lost' });
  });

  it('end the waits of a process that stops', async () => {
    const stopping = await createTestContext([DispatchModule], { shareWith: context });
    const gate = newGate(() => false);
    const waiting = stopping.get(TaskQueues).receive(newId(), { max: 1, waitMs: 60_000, mayTake: gate.mayTake });
    await gate.asked;
    await stopping.close();
    expect(await waiting).toEqual([]);
  });
});

/** A store that goes away after a number of takes. */
class TroubledQueues extends BullQueues {
  takesLeft = Number.POSITIVE_INFINITY;

  override async take(queueId: string): Promise<Delivery | undefined> {
    this.takesLeft -= 1;
    if (this.takesLeft < 0) throw new Error('the store went away');
    return super.take(queueId);
  }
}

/** A queue that may be taken from or not, and the moment at which that was first asked. */
function newGate(isOpen: () => boolean): { readonly mayTake: () => Promise<boolean>; readonly asked: Promise<void> } {
  let noteAsked: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => (noteAsked = resolve));
  const mayTake = async (): Promise<boolean> => {
    noteAsked();
    return isOpen();
  };
  return { mayTake, asked };
}
