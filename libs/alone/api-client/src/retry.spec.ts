import { afterEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { backoff, readRetryAfter, withRetries } from './retry.js';

describe('backoff', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('doubles from its base to its cap and never waits less than half of that', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (failures, random) => {
          const full = Math.min(5_000, 100 * 2 ** (failures - 1));
          jest.spyOn(Math, 'random').mockReturnValue(random);
          const delay = backoff(failures, { baseDelayMs: 100, maxDelayMs: 5_000 });
          expect(delay).toBeGreaterThanOrEqual(full / 2);
          expect(delay).toBeLessThanOrEqual(full);
        },
      ),
    );
  });
});

describe('readRetryAfter', () => {
  it('reads seconds and dates, with a maximum of one minute', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    expect(readRetryAfter('3', now)).toBe(3_000);
    expect(readRetryAfter('9999', now)).toBe(60_000);
    expect(readRetryAfter('Thu, 01 Jan 2026 00:00:10 GMT', now)).toBe(10_000);
    expect(readRetryAfter('Wed, 31 Dec 2025 00:00:00 GMT', now)).toBe(0);
    expect(readRetryAfter('soon', now)).toBeNull();
    expect(readRetryAfter(null, now)).toBeNull();
  });
});

describe('withRetries', () => {
  const signal = new AbortController().signal;

  it('retries as long as the policy returns a delay', async () => {
    let calls = 0;
    const operation = async () => {
      calls += 1;
      if (calls < 4) throw new Error(`failure ${calls}`);
      return calls;
    };
    await expect(withRetries(operation, () => 0, signal)).resolves.toBe(4);
  });

  it('rejects with the last failure when the policy returns null', async () => {
    const fail = () => Promise.reject(new Error('broken'));
    await expect(withRetries(fail, (_error, failures) => (failures < 3 ? 0 : null), signal)).rejects.toThrow('broken');
  });

  it('rejects when the signal is aborted during a delay', async () => {
    const end = new AbortController();
    const waiting = withRetries(
      () => Promise.reject(new Error('down')),
      () => 3_600_000,
      end.signal,
    );
    await Promise.resolve();
    end.abort();
    await expect(waiting).rejects.toThrow();
  });
});
