import { describe, expect, it } from '@jest/globals';
import { Clock } from './clock.js';
import { LookupLimiter } from './lookup-limiter.js';

class SetClock extends Clock {
  time = 1_000_000;

  now(): Date {
    return new Date(this.time);
  }
}

describe('LookupLimiter', () => {
  const setUp = () => {
    const clock = new SetClock();
    const limiter = new LookupLimiter(clock);
    let lookUps = 0;
    const find = (name: string, from: string, owner?: string): Promise<string | undefined> =>
      limiter.find(
        name,
        () => from,
        async () => {
          lookUps += 1;
          return owner;
        },
      );
    const exhaust = async (from: string): Promise<void> => {
      for (let n = 0; n < 100; n += 1) await find(`made up ${n}`, from);
    };
    return { clock, find, exhaust, lookUps: () => lookUps };
  };
  const throttled = { kind: 'throttled', code: 'unknown_credentials_too_many', retryAfterMs: 100 };

  it('rejects without a look-up after a hundred failed look-ups, and allows ten more per second', async () => {
    const { clock, find, exhaust, lookUps } = setUp();
    await exhaust('a');
    await expect(find('made up', 'a')).rejects.toMatchObject(throttled);
    expect(lookUps()).toBe(100);
    clock.time += 1000;
    for (let n = 0; n < 10; n += 1) await find('made up', 'a');
    await expect(find('made up', 'a')).rejects.toMatchObject(throttled);
    clock.time -= 60_000;
    await expect(find('made up', 'a')).rejects.toMatchObject(throttled);
  });

  it('limits each origin separately', async () => {
    const { find, exhaust } = setUp();
    await exhaust('a');
    await expect(find('made up', 'b')).resolves.toBeUndefined();
  });

  it('counts concurrent look-ups', async () => {
    const { find, lookUps } = setUp();
    const outcomes = await Promise.allSettled(Array.from({ length: 150 }, (_, n) => find(`made up ${n}`, 'a')));
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(50);
    expect(lookUps()).toBe(100);
  });

  it('does not count credentials that exist', async () => {
    const { find } = setUp();
    for (let n = 0; n < 200; n += 1) await expect(find(`key ${n}`, 'a', 'owner')).resolves.toBe('owner');
  });

  it('looks up credentials found before, even if their origin is exhausted, until they no longer exist', async () => {
    const { find, exhaust } = setUp();
    await find('key', 'a', 'owner');
    await exhaust('a');
    await expect(find('key', 'a', 'owner')).resolves.toBe('owner');
    await expect(find('key', 'a')).resolves.toBeUndefined();
    await expect(find('key', 'a')).rejects.toMatchObject(throttled);
  });

  it('does not count look-ups that could not be made', async () => {
    const limiter = new LookupLimiter(new SetClock());
    const failing = (): Promise<undefined> => Promise.reject(new Error('store is down'));
    for (let n = 0; n < 200; n += 1) {
      await expect(limiter.find('key', () => 'a', failing)).rejects.toThrow('store is down');
    }
  });
});
