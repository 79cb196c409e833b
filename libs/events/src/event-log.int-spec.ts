import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@app/kernel';
import { eventually, testRedisUrl } from '@app/testing';
import { countTo } from '../test-support/stream-client.js';
import { StreamProcess } from '../test-support/stream-process.js';
import { channelOf } from './event-log.js';
import type { ExecutionRef } from './event-types.js';

const KIBIBYTE = 1024;

describe('the event log', () => {
  let one: StreamProcess;
  let other: StreamProcess;

  beforeAll(async () => {
    [one, other] = [await StreamProcess.start(testRedisUrl()), await StreamProcess.start(testRedisUrl())];
  });
  afterAll(() => Promise.all([one.stop(), other.stop()]));

  const newExecution = (): ExecutionRef => ({ organizationId: newId(), executionId: newId() });
  const counters = async (execution: ExecutionRef): Promise<number[]> =>
    (await one.log.read(execution, 'oldest')).frames.map((frame) => frame.id.counter);
  const keysOf = async (execution: ExecutionRef): Promise<string[]> =>
    (await one.connections.commands.keys(`*${execution.executionId}*`)).sort();

  it('numbers events without a gap, in the order of the log, whoever publishes at once', async () => {
    const execution = newExecution();
    const publish = (n: number): Promise<string> => (n % 2 === 0 ? one : other).publish(execution, { n });
    const ids = await Promise.all(countTo(200).map(publish));
    const { frames } = await one.log.read(execution, 'first');
    expect(frames.map((frame) => frame.id.counter)).toEqual(countTo(200));
    const micros = frames.map((frame) => frame.id.micros);
    expect(new Set(micros).size).toBe(200);
    expect([...micros].sort((a, b) => a - b)).toEqual(micros);
    const listed = frames.map(({ id }) => `${execution.executionId}_${id.counter}_${id.micros}`);
    expect([...ids].sort()).toEqual(listed.sort());
  });

  describe('asked twice to publish an event of the same name', () => {
    const publish = (execution: ExecutionRef, name: string, data = {}): Promise<string | undefined> =>
      one.log.publish(execution, { event_type: 'x', data, once: name }, null).then((event) => event?.event_id);

    it('publishes it once, whoever asks and however often', async () => {
      const execution = newExecution();
      const asked = countTo(20).map((n) =>
        (n % 2 === 0 ? one : other).log.publish(execution, { event_type: 'x', data: {}, once: 'same' }, null),
      );
      expect(new Set((await Promise.all(asked)).map((event) => event?.event_id)).size).toBe(1);
      expect(await counters(execution)).toEqual([1]);
    });

    it('knows the last 512 names, and takes an older one for a new event', async () => {
      const execution = newExecution();
      const ids = await Promise.all(countTo(513).map((n) => publish(execution, `name ${n}`)));
      expect(await publish(execution, 'name 2')).toBe(ids[1]);
      expect(await publish(execution, 'name 1')).toContain(`${execution.executionId}_514_`);
      expect(await one.connections.commands.hlen(`${channelOf(execution)}:names`)).toBe(2 * 512);
    });

    it('says so the second time, and refuses another event that is told from the first by its digest', async () => {
      const execution = newExecution();
      const named = { event_type: 'x', data: {}, once: 'name', digest: 'a' };
      const answers = [];
      for (let n = 0; n < 2; n += 1) answers.push((await one.log.publish(execution, named, null))?.repeated);
      expect(answers).toEqual([false, true]);
      const refused = other.log.publish(execution, { ...named, digest: 'b' }, null);
      await expect(refused).rejects.toMatchObject({
        kind: 'invalid',
        faults: [{ loc: ['header', 'Idempotency-Key'] }],
      });
      expect(await counters(execution)).toEqual([1]);
    });

    it('takes a number for the name it is', async () => {
      const execution = newExecution();
      const [first] = [await publish(execution, 'first')];
      await publish(execution, '1');
      expect(await publish(execution, 'first')).toBe(first);
      expect(await counters(execution)).toEqual([1, 2]);
    });

    it('does not tell it to a holder of the lease that is no longer the holder', async () => {
      const execution = newExecution();
      await publish(execution, 'mine');
      await one.log.setLease(execution, 'current', 60_000);
      expect(await one.log.publish(execution, { event_type: 'x', data: {}, once: 'mine' }, 'stale')).toBeNull();
    });
  });

  it('keeps the events of two organisations apart when their executions have the same id', async () => {
    const execution = newExecution();
    await one.publish(execution, { secret: true });
    const page = await one.log.read({ ...execution, organizationId: newId() }, 'first');
    expect(page).toMatchObject({ frames: [], gap: null });
  });

  it('keeps events for an hour after the last one, and its keys in one slot', async () => {
    const execution = newExecution();
    await one.log.setLease(execution, 'token', 60_000);
    await one.publish(execution, {});
    const name = `events:{${execution.organizationId}:${execution.executionId}}`;
    expect(await keysOf(execution)).toEqual([`${name}:head`, `${name}:lease`, `${name}:log`]);
    const ttl = await one.connections.commands.ttl(`${name}:log`);
    expect(ttl).toBeGreaterThan(3590);
    expect(ttl).toBeLessThanOrEqual(3600);
  });

  it('goes on counting after its events have expired, and says so to who needs them', async () => {
    const execution = newExecution();
    await one.publish(execution, {});
    const { position } = await one.log.read(execution, 'first');
    await one.publish(execution, {});
    const [, , log = ''] = ['', ...(await keysOf(execution))];
    await one.connections.commands.del(log);
    await one.publish(execution, {});
    expect(await one.log.read(execution, 'first')).toMatchObject({ gap: 'expired' });
    expect(await one.log.read(execution, position)).toMatchObject({ gap: 'expired' });
    expect(await counters(execution)).toEqual([3]);
  });

  it('knows that nothing is missing to a reader of the newest event, though that one has expired', async () => {
    const execution = newExecution();
    await one.publish(execution, {});
    const { position } = await one.log.read(execution, 'first');
    await one.connections.commands.del((await keysOf(execution)).find((key) => key.endsWith(':log')) ?? '');
    expect(await one.log.read(execution, position)).toEqual({ gap: null, frames: [], position, complete: true });
  });

  it('tells an id it never gave from one it gave', async () => {
    const execution = newExecution();
    await one.publish(execution, {});
    const { position } = await one.log.read(execution, 'first');
    await one.publish(execution, {});
    expect(await one.log.read(execution, position)).toMatchObject({ gap: null, frames: [{ id: { counter: 2 } }] });
    for (const unknown of [
      { counter: 1, micros: 1 },
      { counter: 2, micros: 1 },
      { counter: 9, micros: 1 },
    ]) {
      const page = await one.log.read(execution, unknown);
      expect(page).toMatchObject({ gap: 'unknown_event_id', frames: [{ id: { counter: 1 } }, { id: { counter: 2 } }] });
    }
  });

  it('is read page by page to its end', async () => {
    const execution = newExecution();
    await Promise.all(countTo(1100).map((n) => one.publish(execution, { n })));
    const first = await one.log.read(execution, 'first');
    const second = await one.log.read(execution, first.position);
    const third = await one.log.read(execution, second.position);
    expect([first.complete, second.complete, third.complete]).toEqual([false, false, true]);
    const all = [first, second, third].flatMap((page) => page.frames.map((frame) => frame.id.counter));
    expect(all).toEqual(countTo(1100));
  });

  it('drops the oldest events of an execution that publishes without bound, and says so', async () => {
    const execution = newExecution();
    const text = 'x'.repeat(1000 * KIBIBYTE);
    for (const n of countTo(70)) await one.publish(execution, { n, text });
    const page = await one.log.read(execution, 'first');
    expect(page.gap).toBe('expired');
    const oldest = page.frames[0]?.id.counter ?? 0;
    expect(oldest).toBeGreaterThan(3);
    expect(oldest).toBeLessThan(10);
  });

  describe('fenced by a lease token', () => {
    const event = { event_type: 'x', data: {} };

    it('takes the current token, and a write without any', async () => {
      const execution = newExecution();
      await one.log.setLease(execution, 'current', 60_000);
      expect(await other.log.publish(execution, event, 'current')).toMatchObject({ event_type: 'x' });
      expect(await other.log.publish(execution, event, null)).toMatchObject({ event_type: 'x' });
    });

    it('writes nothing for a token that is not known to be current', async () => {
      const execution = newExecution();
      expect(await one.log.publish(execution, event, 'never said')).toBeNull();
      await one.log.setLease(execution, 'first', 60_000);
      await one.log.setLease(execution, 'second', 60_000);
      expect(await one.log.publish(execution, event, 'first')).toBeNull();
      await one.log.clearLease(execution);
      expect(await one.log.publish(execution, event, 'second')).toBeNull();
      expect(await counters(execution)).toEqual([]);
    });

    it('forgets a token when its lease has run out', async () => {
      const execution = newExecution();
      await one.log.setLease(execution, 'short', 20);
      await eventually(async () => expect(await one.log.publish(execution, event, 'short')).toBeNull());
    });
  });

  it('goes on when Redis has forgotten its scripts', async () => {
    const execution = newExecution();
    await one.publish(execution, {});
    await one.connections.commands.script('FLUSH');
    await Promise.all(countTo(5).map((n) => one.publish(execution, { n })));
    expect(await counters(execution)).toEqual(countTo(6));
  });
});
