import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { newId } from '@app/kernel';
import { countTo, eventually, testRedisUrl } from '@app/testing';
import { StreamProcess } from '../testing/stream-process.js';
import { channelOf } from './event-log.js';
import type { ExecutionRef } from './event-types.js';
import type { LogPosition } from './log-cursor.js';

const KIBIBYTE = 1024;

describe('EventLog', () => {
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

  it('numbers events without gaps in log order for concurrent publishers', async () => {
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

  describe('publishing twice with the same dedupe key', () => {
    const publish = (execution: ExecutionRef, name: string, data = {}): Promise<string | undefined> =>
      one.log.publish(execution, { event_type: 'x', data, dedupeKey: name }, null).then((event) => event?.event_id);

    it('publishes once, for any number of concurrent calls', async () => {
      const execution = newExecution();
      const calls = countTo(20).map((n) =>
        (n % 2 === 0 ? one : other).log.publish(execution, { event_type: 'x', data: {}, dedupeKey: 'same' }, null),
      );
      expect(new Set((await Promise.all(calls)).map((event) => event?.event_id)).size).toBe(1);
      expect(await counters(execution)).toEqual([1]);
    });

    it('keeps the last 512 keys and treats an older one as new', async () => {
      const execution = newExecution();
      const ids = await Promise.all(countTo(513).map((n) => publish(execution, `name ${n}`)));
      expect(await publish(execution, 'name 2')).toBe(ids[1]);
      expect(await publish(execution, 'name 1')).toContain(`${execution.executionId}_514_`);
      expect(await one.connections.commands.hlen(`${channelOf(execution)}:names`)).toBe(2 * 512);
    });

    it('reports the repetition and rejects an event with another digest', async () => {
      const execution = newExecution();
      const named = { event_type: 'x', data: {}, dedupeKey: 'name', digest: 'a' };
      const repeated = [];
      for (let n = 0; n < 2; n += 1) repeated.push((await one.log.publish(execution, named, null))?.repeated);
      expect(repeated).toEqual([false, true]);
      const rejected = other.log.publish(execution, { ...named, digest: 'b' }, null);
      await expect(rejected).rejects.toMatchObject({
        kind: 'invalid',
        faults: [{ path: ['idempotency_key'] }],
      });
      expect(await counters(execution)).toEqual([1]);
    });

    it('accepts a number as dedupe key', async () => {
      const execution = newExecution();
      const [first] = [await publish(execution, 'first')];
      await publish(execution, '1');
      expect(await publish(execution, 'first')).toBe(first);
      expect(await counters(execution)).toEqual([1, 2]);
    });

    it('returns null to the holder of a stale lease even for a known key', async () => {
      const execution = newExecution();
      await publish(execution, 'mine');
      await one.log.setLease(execution, 'current', 60_000);
      expect(await one.log.publish(execution, { event_type: 'x', data: {}, dedupeKey: 'mine' }, 'stale')).toBeNull();
    });
  });

  it('separates executions with the same id in two organizations', async () => {
    const execution = newExecution();
    await one.publish(execution, { secret: true });
    const page = await one.log.read({ ...execution, organizationId: newId() }, 'first');
    expect(page).toMatchObject({ frames: [], gap: null });
  });

  it('keeps events for an hour and all keys in one hash slot', async () => {
    const execution = newExecution();
    await one.log.setLease(execution, 'token', 60_000);
    await one.publish(execution, {});
    const name = `events:{${execution.organizationId}:${execution.executionId}}`;
    expect(await keysOf(execution)).toEqual([`${name}:head`, `${name}:index`, `${name}:lease`, `${name}:log`]);
    const ttl = await one.connections.commands.ttl(`${name}:log`);
    expect(ttl).toBeGreaterThan(3590);
    expect(ttl).toBeLessThanOrEqual(3600);
  });

  it('continues the counter after its events have expired and reports the gap', async () => {
    const execution = newExecution();
    await one.publish(execution, {});
    const { position } = await one.log.read(execution, 'first');
    await one.publish(execution, {});
    await one.connections.commands.del(`${channelOf(execution)}:log`, `${channelOf(execution)}:index`);
    await one.publish(execution, {});
    expect(await one.log.read(execution, 'first')).toMatchObject({ gap: 'expired' });
    expect(await one.log.read(execution, position)).toMatchObject({ gap: 'expired' });
    expect(await counters(execution)).toEqual([3]);
  });

  it('reports no gap to a reader at the newest event even if that event has expired', async () => {
    const execution = newExecution();
    await one.publish(execution, {});
    const { position } = await one.log.read(execution, 'first');
    await one.connections.commands.del((await keysOf(execution)).find((key) => key.endsWith(':log')) ?? '');
    expect(await one.log.read(execution, position)).toEqual({
      gap: null,
      frames: [],
      invalid: 0,
      position,
      complete: true,
    });
  });

  it('distinguishes unknown event ids from known ones', async () => {
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

  it('returns page after page up to the newest event', async () => {
    const execution = newExecution();
    await Promise.all(countTo(1100).map((n) => one.publish(execution, { n })));
    const first = await one.log.read(execution, 'first');
    const second = await one.log.read(execution, first.position);
    const third = await one.log.read(execution, second.position);
    expect([first.complete, second.complete, third.complete]).toEqual([false, false, true]);
    const all = [first, second, third].flatMap((page) => page.frames.map((frame) => frame.id.counter));
    expect(all).toEqual(countTo(1100));
  });

  it('removes the oldest events beyond the limits and reports the gap', async () => {
    const execution = newExecution();
    const text = 'x'.repeat(1000 * KIBIBYTE);
    for (const n of countTo(70)) await one.publish(execution, { n, text });
    const page = await one.log.read(execution, 'first');
    expect(page.gap).toBe('expired');
    const oldest = page.frames[0]?.id.counter ?? 0;
    expect(oldest).toBeGreaterThan(3);
    expect(oldest).toBeLessThan(10);
  });

  describe('reading large pages', () => {
    const text = 'x'.repeat(100 * KIBIBYTE);
    /** A log of 8 events with 100 KiB each. */
    const newLargeLog = async (): Promise<ExecutionRef> => {
      const execution = newExecution();
      for (const n of countTo(8)) await one.publish(execution, { n, text });
      return execution;
    };
    const readAll = async (execution: ExecutionRef, maxFrames: number): Promise<number[]> => {
      const read: number[] = [];
      let position: LogPosition = 'first';
      for (;;) {
        const page = await other.log.read(execution, position);
        expect(page.gap).toBeNull();
        expect(page.frames.length).toBeLessThanOrEqual(maxFrames);
        read.push(...page.frames.map(({ id }) => id.counter));
        if (page.complete) return read;
        position = page.position;
      }
    };
    const threeNumbers = Array.from({ length: 3 }, () => expect.any(Number) as unknown);
    afterEach(() => void jest.restoreAllMocks());

    it('does not copy their frames in a script', async () => {
      const execution = await newLargeLog();
      const script = jest.spyOn(other.log['redis'], 'eventLogReadBuffer');
      expect(await readAll(execution, 2)).toEqual(countTo(8));
      // Calls on a pipeline of the connection are left out, because they return the pipeline instead of an answer.
      const answers = (await Promise.all(script.mock.results.map(({ value }) => value))).filter(Array.isArray);
      expect(answers.length).toBeGreaterThan(4);
      for (const answer of answers)
        expect(answer).toEqual([0, expect.any(Buffer), expect.any(Buffer), ...threeNumbers]);
    });

    it('returns a snapshot if the log lost events before the frames were read', async () => {
      const execution = await newLargeLog();
      const { position } = await other.log.read(execution, 'first');
      const { redis } = other.log as unknown as { redis: { lrangeBuffer: (...range: unknown[]) => Promise<Buffer[]> } };
      const lrange = redis.lrangeBuffer.bind(redis);
      jest.spyOn(redis, 'lrangeBuffer').mockImplementation(async (...range) => {
        await one.connections.commands.lpop(`${channelOf(execution)}:log`);
        await one.connections.commands.lpop(`${channelOf(execution)}:index`);
        return lrange(...range);
      });
      const page = await other.log.read(execution, position);
      expect(page.gap).toBeNull();
      expect(page.frames.map(({ id }) => id.counter)).toEqual([3, 4]);
    });

    it('reads a log that was begun by an earlier version, without an index', async () => {
      const execution = await newLargeLog();
      await one.connections.commands.del(`${channelOf(execution)}:index`);
      expect(await readAll(execution, 4)).toEqual(countTo(8));
      await one.publish(execution, { n: 9 });
      expect(await readAll(execution, 4)).toEqual(countTo(9));
    });
  });

  describe('publishing with a lease token', () => {
    const event = { event_type: 'x', data: {} };

    it('accepts the current token and a write without a token', async () => {
      const execution = newExecution();
      await one.log.setLease(execution, 'current', 60_000);
      expect(await other.log.publish(execution, event, 'current')).toMatchObject({ event_type: 'x' });
      expect(await other.log.publish(execution, event, null)).toMatchObject({ event_type: 'x' });
    });

    it('writes nothing for a token that Redis does not know as the current one', async () => {
      const execution = newExecution();
      expect(await one.log.publish(execution, event, 'unknown')).toBeNull();
      await one.log.setLease(execution, 'first', 60_000);
      await one.log.setLease(execution, 'second', 60_000);
      expect(await one.log.publish(execution, event, 'first')).toBeNull();
      await one.log.clearLease(execution);
      expect(await one.log.publish(execution, event, 'second')).toBeNull();
      expect(await counters(execution)).toEqual([]);
    });

    it('drops the token when its lease expires', async () => {
      const execution = newExecution();
      await one.log.setLease(execution, 'short', 20);
      await eventually(async () => expect(await one.log.publish(execution, event, 'short')).toBeNull());
    });
  });

  it('continues after Redis flushed its scripts', async () => {
    const execution = newExecution();
    await one.publish(execution, {});
    await one.connections.commands.script('FLUSH');
    await Promise.all(countTo(5).map((n) => one.publish(execution, { n })));
    expect(await counters(execution)).toEqual(countTo(6));
  });
});
