import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RedisConnections } from '@app/redis';
import { SystemClock } from '@app/kernel';
import { admittedTimes, eventually, flushTestRedis, ManualClock, testRedisUrl } from '@app/testing';
import * as fc from 'fast-check';
import { LocalWindows } from './local-windows.js';
import { RateLimitStorage } from './rate-limit.storage.js';
import { CHARGE, chargeArguments, readVerdict } from './sliding-windows.script.js';
import type { WindowVerdict, Window } from './windows.js';

const SECOND = 1000;
const LENGTHS = [10 * SECOND, 60 * SECOND, 300 * SECOND];
const EPOCH = Date.parse('2026-01-01T00:00:00.000Z');

/** Decides by the definition: a request is admitted if each window then contains at most its limit. */
class NaiveModel {
  private readonly admitted: number[] = [];

  charge(windows: readonly Window[], clock: number): WindowVerdict {
    const now = Math.max(clock, this.admitted.at(-1) ?? 0);
    const passesAt = (time: number): boolean => windows.every((window) => this.used(window, time) < window.limit);
    const passes = [now, ...this.departures(windows, now)].find(passesAt) ?? Number.NaN;
    if (passes === now) this.admitted.push(now);
    const states = windows.map((window) => {
      const used = Math.min(this.used(window, now), window.limit);
      const frees = this.departures(windows, now).find((time) => this.used(window, time) < used);
      return { ...window, remaining: window.limit - used, freesAt: frees ?? now + window.lengthMs };
    });
    return { admitted: passes === now, waitMs: passes - now, windows: states };
  }

  /** Returns the times from now on at which a request leaves a window, in order. */
  private departures(windows: readonly Window[], now: number): number[] {
    const all = windows.flatMap(({ lengthMs }) => this.admitted.map((time) => time + lengthMs));
    return all.filter((time) => time > now).sort((one, other) => one - other);
  }

  private used({ lengthMs }: Window, at: number): number {
    return this.admitted.filter((time) => time > at - lengthMs && time <= at).length;
  }
}

/** Steps of a clock, and limits of the windows, which change from time to time. */
const requests = fc.array(
  fc.record({
    stepMs: fc.oneof(
      fc.constant(0),
      fc.integer({ min: -2000, max: 4000 }),
      fc.constantFrom(...LENGTHS, ...LENGTHS.map((length) => length - 1)),
    ),
    limits: fc.option(fc.tuple(...LENGTHS.map(() => fc.integer({ min: 1, max: 8 }))), { freq: 12 }),
  }),
  { minLength: 1, maxLength: 60 },
);

describe('sliding windows', () => {
  const connections = Array.from({ length: 4 }, () => new RedisConnections({ url: testRedisUrl() }));
  const [redis] = connections as [RedisConnections];

  beforeAll(() => flushTestRedis());
  afterAll(() => connections.forEach((connection) => connection.onApplicationShutdown()));

  it('decide according to their definition, in Redis and in a process', async () => {
    // The script with a clock that the test sets.
    redis.commands.defineCommand('chargeAt', {
      numberOfKeys: 1,
      lua: `local now = tonumber(table.remove(ARGV))${CHARGE}`,
    });
    const { chargeAt } = redis.commands as unknown as {
      chargeAt: (key: string, ...args: number[]) => Promise<number[]>;
    };
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(requests, async (steps) => {
        runs += 1;
        const model = new NaiveModel();
        const clock = new ManualClock(new Date(EPOCH));
        const local = new LocalWindows(clock);
        let windows: Window[] = LENGTHS.map((lengthMs) => ({ lengthMs, limit: 3 }));
        for (const { stepMs, limits } of steps) {
          clock.advance(stepMs);
          if (limits !== null) windows = windows.map((window, index) => ({ ...window, limit: limits[index] ?? 1 }));
          const expected = model.charge(windows, clock.millis());
          expect(local.charge('key', windows)).toEqual(expected);
          const shared = await chargeAt.call(
            redis.commands,
            `key ${runs}`,
            ...chargeArguments(windows),
            clock.millis(),
          );
          expect(readVerdict(windows, shared)).toEqual(expected);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('admit exactly as many requests as allowed, from many clients of several processes', async () => {
    const windows = [
      { lengthMs: 100, limit: 5 },
      { lengthMs: 300, limit: 12 },
      { lengthMs: 900, limit: 20 },
      { lengthMs: 60_000, limit: 10_000 },
    ];
    const storages = connections.map((connection) => new RateLimitStorage(connection, new SystemClock()));
    const denied: WindowVerdict[] = [];
    let admitted = 0;
    const client = async (storage: RateLimitStorage): Promise<void> => {
      while (admitted < 45) {
        const verdict = await storage.charge('shared', windows);
        if (verdict.admitted) admitted += 1;
        else denied.push(verdict);
      }
    };
    await Promise.all(Array.from({ length: 40 }, (_, n) => client(storages[n % 4] as RateLimitStorage)));

    const times = await admittedTimes(redis.commands, 'shared');
    expect(times).toHaveLength(admitted);
    for (const { lengthMs, limit } of windows) {
      for (const [index, time] of times.entries()) {
        const next = times[index + limit];
        if (next !== undefined) expect(next - time).toBeGreaterThanOrEqual(lengthMs);
      }
    }
    for (const { windows: states, waitMs } of denied) {
      const full = states.filter(({ remaining }) => remaining === 0);
      const now = Math.max(...full.map(({ freesAt }) => freesAt)) - waitMs;
      for (const { lengthMs, limit } of full) {
        expect(times.filter((time) => time > now - lengthMs && time <= now).length).toBe(limit);
      }
    }
    expect(denied.length).toBeGreaterThan(0);
    expect(storages.map(({ localDecisions }) => localDecisions)).toEqual([0, 0, 0, 0]);
  });

  it('occupy six bytes per request', async () => {
    const storage = new RateLimitStorage(redis, new SystemClock());
    const day = [{ lengthMs: 86_400_000, limit: 600 }];
    await Promise.all(Array.from({ length: 700 }, () => storage.charge('busy', day)));
    expect(await redis.commands.strlen('rate-limit:{busy}')).toBe(12 + 6 * 600);
    expect(await redis.commands.pttl('rate-limit:{busy}')).toBeGreaterThan(86_000_000);
  });

  it('are counted by each process while Redis fails, and shared again afterwards', async () => {
    const breaking = new RedisConnections({ url: testRedisUrl() });
    const storage = new RateLimitStorage(breaking, new SystemClock());
    const windows = [{ lengthMs: 60_000, limit: 2 }];
    const charge = async (): Promise<boolean> => (await storage.charge('breaking', windows)).admitted;
    expect([await charge(), await charge(), await charge()]).toEqual([true, true, false]);
    breaking.commands.disconnect();
    expect([await charge(), await charge(), await charge()]).toEqual([true, true, false]);
    expect(storage.localDecisions).toBe(3);
    await breaking.commands.connect();
    const other = [{ lengthMs: 60_000, limit: 100_000 }];
    await eventually(async () => {
      const before = storage.localDecisions;
      await storage.charge('another', other);
      expect(storage.localDecisions).toBe(before);
    });
    breaking.onApplicationShutdown();
  });
});
