import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RedisConnections } from '@app/redis';
import { newId } from '@app/kernel';
import { createTestContext, flushTestRedis, ManualClock, type TestContext } from '@app/testing';
import { EventsModule } from '../events.module.js';
import type { ExecutionRef } from '../log/event-types.js';
import { EVERY_ORGANIZATION, UnreadLogs } from './unread-logs.js';

const LEASE_MS = 30_000;

describe('UnreadLogs', () => {
  const clock = new ManualClock();
  const none: ReadonlyMap<string, number> = new Map();
  let context: TestContext;
  let logs: UnreadLogs;
  let names: Map<string, string>;

  beforeAll(async () => {
    context = await createTestContext([EventsModule], { clock });
    logs = context.get(UnreadLogs);
  });
  beforeEach(async () => {
    await flushTestRedis();
    names = new Map();
    await logs.follow('http', EVERY_ORGANIZATION);
  });
  afterAll(() => context.close());

  /** Adds unread logs `<organization>0`, `<organization>1`, … */
  async function add(organization: string, count: number): Promise<ExecutionRef[]> {
    const organizationId = `${organization}-${newId()}`;
    const added = Array.from({ length: count }, () => ({ organizationId, executionId: newId() }));
    for (const [index, execution] of added.entries()) {
      names.set(execution.executionId, `${organization}${index}`);
      await logs.add('http', [execution]);
      clock.advance(1);
    }
    return added;
  }

  async function claim(free: number, held = none): Promise<{ claimed: unknown[]; remaining: boolean }> {
    const { executions, remaining } = await logs.claim('http', free, held);
    return { claimed: executions.map(({ executionId }) => names.get(executionId)), remaining };
  }

  it('are claimed in turn by organization, and of each organization the longest waiting first', async () => {
    await add('a', 6);
    await add('b', 2);
    await add('c', 1);
    expect(await claim(16)).toEqual({
      claimed: ['a0', 'b0', 'c0', 'a1', 'b1', 'a2', 'a3', 'a4', 'a5'],
      remaining: false,
    });
  });

  it('give an organization a place only while more are free than it holds', async () => {
    const [{ organizationId } = { organizationId: '' }] = await add('a', 20);
    expect((await claim(16)).claimed).toHaveLength(8);
    const held = new Map([[organizationId, 8]]);
    expect(await claim(8, held)).toEqual({ claimed: [], remaining: true });
    await add('b', 20);
    expect(await claim(8, held)).toEqual({ claimed: ['b0', 'b1', 'b2', 'b3'], remaining: true });
  });

  it('continue with the organization whose turn is next', async () => {
    await add('a', 3);
    await add('b', 3);
    await add('c', 3);
    const claimed: unknown[] = [];
    for (let turn = 0; turn < 6; turn += 1) claimed.push(...(await claim(1)).claimed);
    expect(claimed).toEqual(['a0', 'b0', 'c0', 'a1', 'b1', 'c1']);
  });

  it('can be claimed again after their delay, and after the lease of a process that died', async () => {
    const [first] = await add('a', 2);
    if (first === undefined) return;
    expect((await claim(16)).claimed).toEqual(['a0', 'a1']);
    await logs.release('http', first, 1000);
    expect((await claim(16)).claimed).toEqual([]);
    clock.advance(1000);
    expect((await claim(16)).claimed).toEqual(['a0']);
    await logs.release('http', first);
    clock.advance(LEASE_MS);
    expect((await claim(16)).claimed).toEqual(['a1']);
  });

  it('are read again if they received events while they were read', async () => {
    const [first] = await add('a', 1);
    if (first === undefined) return;
    expect((await claim(16)).claimed).toEqual(['a0']);
    await logs.add('http', [first]);
    expect((await claim(16)).claimed).toEqual([]);
    await logs.release('http', first);
    expect((await claim(16)).claimed).toEqual(['a0']);
    await logs.release('http', first);
    expect(await claim(16)).toEqual({ claimed: [], remaining: false });
  });

  it('include those that a process of an earlier version added', async () => {
    const { commands } = context.get(RedisConnections);
    const [a, b] = [newId(), newId()];
    for (const executionId of [a, b]) names.set(executionId, executionId);
    await commands.zadd('events:grown:{http}:logs', clock.millis() - 1, `o:${a}`, clock.millis() + 500, `o:${b}`);
    expect((await claim(16)).claimed).toEqual([a]);
    clock.advance(500);
    expect((await claim(16)).claimed).toEqual([b]);
  });
});
