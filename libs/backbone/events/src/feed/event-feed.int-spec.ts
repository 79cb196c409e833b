import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RedisConnections } from '@app/redis';
import { newId } from '@app/kernel';
import { Metrics, MetricsModule } from '@app/metrics';
import { createTestContext, eventually, flushTestRedis, type TestContext } from '@app/testing';
import { Injectable, Module } from '@nestjs/common';
import { channelOf, EventLog } from '../log/event-log.js';
import { EventsHandlersModule } from '../events.handlers.module.js';
import { EventsModule } from '../events.module.js';
import type { ExecutionRef, LoggedEvent } from '../log/event-types.js';
import { LogFollower } from './event-provider.js';
import { UnreadLogs } from './unread-logs.js';

@Injectable()
class RecordingProvider extends LogFollower {
  override readonly name = 'http';
  override readonly enabled = true;
  readonly delivered = new Map<string, LoggedEvent[]>();
  /** Number of deliveries that fail. */
  failures = 0;
  deliveries = 0;
  /** Organizations whose deliveries do not end, and the number of these deliveries. */
  readonly blocked = new Map<string, number>();
  private release: (() => void)[] = [];

  override async deliver({ executionId, organizationId }: ExecutionRef, events: readonly LoggedEvent[]): Promise<void> {
    this.deliveries += 1;
    const blocked = this.blocked.get(organizationId);
    if (blocked !== undefined) {
      this.blocked.set(organizationId, blocked + 1);
      await new Promise<void>((resolve) => this.release.push(resolve));
    }
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error('away');
    }
    for (const event of events) JSON.parse(event.json);
    this.delivered.set(executionId, [...(this.delivered.get(executionId) ?? []), ...events]);
  }

  unblock(): void {
    this.blocked.clear();
    for (const release of this.release.splice(0)) release();
  }

  override async probe(): Promise<void> {
    return Promise.resolve();
  }
}

@Module({ providers: [RecordingProvider] })
class RecordingModule {}

describe('EventFeed', () => {
  let context: TestContext;
  let log: EventLog;
  let provider: RecordingProvider;
  const organizationId = newId();

  beforeAll(async () => {
    await flushTestRedis();
    context = await createTestContext([MetricsModule, EventsModule, EventsHandlersModule, RecordingModule]);
    log = context.get(EventLog);
    provider = context.get(RecordingProvider);
    await context.get(UnreadLogs).follow('http', organizationId);
  });

  afterAll(() => context.close());

  const newRef = (of = organizationId): ExecutionRef => ({ organizationId: of, executionId: newId() });
  const publish = async (execution: ExecutionRef, count: number, from = 0): Promise<void> => {
    for (let number = from; number < from + count; number += 1) {
      await log.publish(execution, { event_type: number % 2 === 0 ? 'own' : 'status', data: { number } }, null);
    }
  };
  const numbersOf = ({ executionId }: ExecutionRef): unknown[] =>
    (provider.delivered.get(executionId) ?? []).map(({ data }) => data['number']);
  const passedOverCount = async (): Promise<number> => {
    const text = await context.get(Metrics).render();
    return Number(/^platform_event_provider_undecodable_events_total{provider="http"} (\d+)/m.exec(text)?.[1]);
  };
  const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

  it('delivers every event of several executions once and in order', async () => {
    const executions = [newRef(), newRef(), newRef()];
    await Promise.all(executions.map((execution) => publish(execution, 40)));
    for (const execution of executions) await eventually(() => expect(numbersOf(execution)).toEqual(upTo(40)));
    const [execution] = executions;
    if (execution === undefined) return;
    await publish(execution, 5, 40);
    await eventually(() => expect(numbersOf(execution)).toEqual(upTo(45)));
    const [event] = provider.delivered.get(execution.executionId) ?? [];
    expect(event).toMatchObject({ id: expect.stringContaining(`${execution.executionId}_1_`), type: 'own' });
  });

  it('delivers the events of many pages', async () => {
    const execution = newRef();
    await Promise.all(
      upTo(2500).map((number) => log.publish(execution, { event_type: 'own', data: { number } }, null)),
    );
    await eventually(() => expect(numbersOf(execution)).toHaveLength(2500));
    expect(new Set(numbersOf(execution)).size).toBe(2500);
  });

  it('delivers the events of a continuously growing log in batches, every 50 ms', async () => {
    const execution = newRef();
    const [before, startedAt] = [provider.deliveries, performance.now()];
    let count = 0;
    for (; performance.now() - startedAt < 1500; count += 1) await publish(execution, 1, count);
    await eventually(() => expect(numbersOf(execution)).toEqual(upTo(count)));
    const milliseconds = performance.now() - startedAt;
    // The poll, once a second, also reads the log.
    expect(provider.deliveries - before).toBeLessThanOrEqual(milliseconds / 50 + milliseconds / 1000 + 2);
  });

  it('delivers events again to a provider that failed', async () => {
    const execution = newRef();
    provider.failures = 1;
    await publish(execution, 3);
    await eventually(() => expect(numbersOf(execution)).toEqual(upTo(3)));
    expect(provider.failures).toBe(0);
  });

  it.each([
    ['is not a frame', () => 'nonsense'],
    ['has no JSON', (frame: string) => frame.replace('data: {', 'data: ')],
    ['has no object', (frame: string) => frame.replace(/data: .*/, 'data: null')],
  ])('passes over an entry of the log that %s, and counts it', async (_what, corrupt) => {
    const [execution, passedOver] = [newRef(), await passedOverCount()];
    provider.failures = 1;
    await publish(execution, 4);
    const { commands } = context.get(RedisConnections);
    const key = `${channelOf(execution)}:log`;
    await commands.lset(key, 1, corrupt((await commands.lindex(key, 1)) ?? ''));
    await eventually(() => expect(numbersOf(execution)).toEqual([0, 2, 3]));
    await publish(execution, 1, 4);
    await eventually(() => expect(numbersOf(execution)).toEqual([0, 2, 3, 4]));
    await eventually(async () => expect((await passedOverCount()) - passedOver).toBe(1));
  });

  it('delivers no events of an organization that the provider does not follow', async () => {
    const [unfollowed, followed] = [newRef(newId()), newRef()];
    await publish(unfollowed, 1);
    await publish(followed, 1);
    await eventually(() => expect(numbersOf(followed)).toEqual([0]));
    expect(numbersOf(unfollowed)).toEqual([]);
  });

  it('delivers the events of an organization while deliveries of another one do not end', async () => {
    const [attacker, victim] = [newId(), newId()];
    for (const id of [attacker, victim]) await context.get(UnreadLogs).follow('http', id);
    provider.blocked.set(attacker, 0);
    const flood = upTo(100).map(() => newRef(attacker));
    await Promise.all(flood.map((execution) => publish(execution, 1)));
    await eventually(() => expect(provider.blocked.get(attacker)).toBe(8));
    const own = upTo(20).map(() => newRef(victim));
    await Promise.all(own.map((execution) => publish(execution, 1)));
    for (const execution of own) await eventually(() => expect(numbersOf(execution)).toEqual([0]));
    expect(provider.blocked.get(attacker)).toBe(8);
    provider.unblock();
    for (const execution of flood) await eventually(() => expect(numbersOf(execution)).toEqual([0]));
  });
});
