import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { DispatchConfig, loadConfig } from '@app/config';
import { Injectable, Module } from '@nestjs/common';
import { createTestContext, eventually, ManualClock, statementsOf, type TestContext } from '@app/testing';
import { DispatchModule } from '../dispatch.module.js';
import { SchedulerRegistry } from '@nestjs/schedule';
import { PeriodicTasks } from '../periodic/periodic-tasks.js';
import { OutboxSweepTask } from './outbox-sweep.task.js';
import { OutboxTopic, TopicHandler } from './outbox-topic.js';
import { OutboxRepository } from './outbox.repository.js';
import { Outbox } from './outbox.js';
import { Relay } from './relay.js';

interface Greeting {
  readonly text: string;
}

const greeted = new OutboxTopic<Greeting>('test.greeted');
const neverAborted = new AbortController().signal;

@Injectable()
class GreetedHandler extends TopicHandler<Greeting> {
  override readonly topic = greeted;
  readonly handled: string[] = [];
  /** Whether all messages fail, or those with these texts. */
  failing: boolean | readonly string[] = false;

  override async handle({ text }: Greeting): Promise<void> {
    if (this.failing === true || (this.failing !== false && this.failing.includes(text))) throw new Error('not now');
    this.handled.push(text);
  }
}

@Module({ imports: [DispatchModule], providers: [GreetedHandler] })
class GreetingsModule {}

describe('the outbox', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let outbox: Outbox;
  let handler: GreetedHandler;

  beforeAll(async () => {
    context = await createTestContext([GreetingsModule], { clock });
    outbox = context.get(Outbox);
    handler = context.get(GreetedHandler);
  });

  afterAll(() => context.close());

  afterEach(async () => {
    handler.handled.length = 0;
    handler.failing = false;
    await context.database.sql('DELETE FROM outbox');
  });

  async function countMessages(): Promise<number> {
    return (await context.database.sql('SELECT 1 AS one FROM outbox')).length;
  }

  const newSweep = (): OutboxSweepTask =>
    new OutboxSweepTask(
      context.get(Relay),
      new PeriodicTasks(new SchedulerRegistry(), { ...loadConfig(DispatchConfig, {}), reconcileIntervalMs: 50 }),
    );

  it('relays messages after the commit and deletes them', async () => {
    await context.database.transaction(async () => {
      await outbox.add(greeted, { text: 'one' }, { text: 'two' });
      expect(handler.handled).toEqual([]);
    });
    await eventually(async () => {
      expect(handler.handled).toEqual(['one', 'two']);
      expect(await countMessages()).toBe(0);
    });
  });

  it('relays nothing if the transaction is rolled back', async () => {
    const failing = context.database.transaction(async () => {
      await outbox.add(greeted, { text: 'never' });
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(await countMessages()).toBe(0);
    await newSweep().run(neverAborted);
    expect(handler.handled).toEqual([]);
  });

  it('keeps a message whose handler fails until a sweeper retries it', async () => {
    handler.failing = true;
    await outbox.add(greeted, { text: 'later' });
    expect(await countMessages()).toBe(1);
    handler.failing = false;
    await newSweep().run(neverAborted);
    expect(handler.handled).toEqual([]);
    clock.advance(2000);
    await newSweep().run(neverAborted);
    expect(handler.handled).toEqual(['later']);
    expect(await countMessages()).toBe(0);
  });

  it('increases the delay after each failed attempt of a sweeper', async () => {
    handler.failing = true;
    await outbox.add(greeted, { text: 'failing' });
    const dueInMs = async (): Promise<number> => {
      const [row] = await context.database.sql<{ at: Date }>('SELECT next_attempt_at AS at FROM outbox');
      return (row?.at.getTime() ?? 0) - clock.millis();
    };
    const delays: number[] = [];
    for (let attempt = 0; attempt < 7; attempt += 1) {
      clock.advance(await dueInMs());
      await newSweep().run(neverAborted);
      delays.push(await dueInMs());
    }
    expect(delays).toEqual([1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
  });

  it('relays a backlog of several batches in one sweep, although messages of each batch fail', async () => {
    handler.failing = true;
    const texts = Array.from({ length: 500 }, (_, index) => String(index));
    await outbox.add(greeted, ...texts.map((text) => ({ text })));
    const failing = texts.filter((_text, index) => index % 20 === 0);
    handler.failing = failing;
    clock.advance(2000);
    await newSweep().run(neverAborted);
    expect(handler.handled).toHaveLength(texts.length - failing.length);
    expect(await countMessages()).toBe(failing.length);
  });

  it('ends a sweep after a batch whose messages all fail', async () => {
    handler.failing = true;
    await outbox.add(greeted, ...Array.from({ length: 500 }, (_, index) => ({ text: String(index) })));
    clock.advance(2000);
    expect(await statementsOf(() => newSweep().run(neverAborted))).toHaveLength(1);
  });

  it('relays the messages of a draft that are due, and the others when they are', async () => {
    const dueAt = [-1000, 0, 5000, 60_000].map((milliseconds) => new Date(clock.millis() + milliseconds));
    const messages = dueAt.map((at, index) => ({ payload: { text: String(index) }, dueAt: at }));
    const draft = outbox.dueDraft(greeted, ...messages);
    await context.get(OutboxRepository).insert(draft.rows);
    draft.send();
    await eventually(async () => expect(await countMessages()).toBe(2));
    expect(handler.handled).toEqual(['0', '1']);
    clock.advance(5000);
    await newSweep().run(neverAborted);
    expect(handler.handled).toEqual(['0', '1', '2']);
    await eventually(async () => expect(await countMessages()).toBe(1));
  });

  it('relays each message once when several sweepers run', async () => {
    handler.failing = true;
    const texts = Array.from({ length: 500 }, (_, index) => String(index));
    await outbox.add(greeted, ...texts.map((text) => ({ text })));
    handler.failing = false;
    clock.advance(2000);
    await Promise.all([newSweep().run(neverAborted), newSweep().run(neverAborted), newSweep().run(neverAborted)]);
    expect([...handler.handled].sort()).toEqual([...texts].sort());
    expect(await countMessages()).toBe(0);
  });

  it('counts messages that wait to be handled as its backlog, but not those planned for later', async () => {
    const insert = async (attempts: number, created: string, due: string): Promise<void> => {
      await context.database.sql(
        `INSERT INTO outbox (id, topic, payload, attempts, created_at, next_attempt_at)
          VALUES (gen_random_uuid()::text, 'test.greeted', '{}', $1, now() + $2::interval, now() + $3::interval)`,
        [attempts, created, due],
      );
    };
    const messages = context.get(OutboxRepository);
    await insert(0, '-1 hour', '1 hour');
    expect(await messages.backlog()).toEqual({ rows: 0, oldest_seconds: 0 });
    await insert(0, '-1 hour', '-5 minutes');
    const late = await messages.backlog();
    expect(late.rows).toBe(1);
    expect(late.oldest_seconds).toBeGreaterThan(299);
    expect(late.oldest_seconds).toBeLessThan(3600);
    await insert(3, '-1 hour', '10 seconds');
    const failing = await messages.backlog();
    expect(failing.rows).toBe(2);
    expect(failing.oldest_seconds).toBeGreaterThan(3599);
  });
});
