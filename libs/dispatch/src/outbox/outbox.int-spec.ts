import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { DispatchConfig, loadConfig } from '@app/config';
import { Injectable, Module } from '@nestjs/common';
import { createTestContext, eventually, ManualClock, type TestContext } from '@app/testing';
import { DispatchModule } from '../dispatch.module.js';
import { OutboxSweepTask } from './outbox-sweep.task.js';
import { OutboxTopic, TopicHandler } from './outbox-topic.js';
import { Outbox } from './outbox.js';
import { OutboxRepository } from './outbox.repository.js';
import { Relay } from './relay.js';

interface Greeting {
  readonly text: string;
}

const greeted = new OutboxTopic<Greeting>('test.greeted');
const never = new AbortController().signal;

@Injectable()
class GreetedHandler extends TopicHandler<Greeting> {
  override readonly topic = greeted;
  readonly handled: string[] = [];
  failing = false;

  override async handle({ text }: Greeting): Promise<void> {
    if (this.failing) throw new Error('not now');
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

  async function waiting(): Promise<number> {
    return (await context.database.sql('SELECT 1 AS one FROM outbox')).length;
  }

  const newSweeper = (): OutboxSweepTask =>
    new OutboxSweepTask(context.get(OutboxRepository), context.get(Relay), clock, {
      ...loadConfig(DispatchConfig, {}),
      reconcileIntervalMs: 50,
    });

  it('hands messages on right after the commit, and forgets them', async () => {
    await context.database.transaction(async () => {
      await outbox.add(greeted, { text: 'one' }, { text: 'two' });
      expect(handler.handled).toEqual([]);
    });
    await eventually(async () => {
      expect(handler.handled).toEqual(['one', 'two']);
      expect(await waiting()).toBe(0);
    });
  });

  it('hands nothing on when the transaction is rolled back', async () => {
    const failing = context.database.transaction(async () => {
      await outbox.add(greeted, { text: 'never' });
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(await waiting()).toBe(0);
    await newSweeper().run(never);
    expect(handler.handled).toEqual([]);
  });

  it('keeps a message its handler refused, and sweepers hand it on after a head start', async () => {
    handler.failing = true;
    await outbox.add(greeted, { text: 'later' });
    expect(await waiting()).toBe(1);
    handler.failing = false;
    await newSweeper().run(never);
    expect(handler.handled).toEqual([]);
    clock.advance(2000);
    await newSweeper().run(never);
    expect(handler.handled).toEqual(['later']);
    expect(await waiting()).toBe(0);
  });

  it('waits longer after each failure of a sweeper', async () => {
    handler.failing = true;
    await outbox.add(greeted, { text: 'stubborn' });
    const due = async (): Promise<number> => {
      const [row] = await context.database.sql<{ at: Date }>('SELECT next_attempt_at AS at FROM outbox');
      return (row?.at.getTime() ?? 0) - clock.millis();
    };
    const waits: number[] = [];
    for (let attempt = 0; attempt < 7; attempt += 1) {
      clock.advance(await due());
      await newSweeper().run(never);
      waits.push(await due());
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
  });

  it('hands each message on once when several sweepers run', async () => {
    handler.failing = true;
    const texts = Array.from({ length: 500 }, (_, index) => String(index));
    await outbox.add(greeted, ...texts.map((text) => ({ text })));
    handler.failing = false;
    clock.advance(2000);
    await Promise.all([newSweeper().run(never), newSweeper().run(never), newSweeper().run(never)]);
    expect([...handler.handled].sort()).toEqual([...texts].sort());
    expect(await waiting()).toBe(0);
  });
});
