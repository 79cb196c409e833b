import { describe, expect, it } from '@jest/globals';
import { eventually, promptly } from './eventually.js';

describe('eventually', () => {
  /** Fails `failures` times, each time after the time limit of the tests. */
  const slowCheck = (failures: number): (() => Promise<string>) => {
    let calls = 0;
    return async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      calls += 1;
      if (calls <= failures) throw new Error(`check ${calls} failed`);
      return 'passed';
    };
  };

  it('repeats a check that began before the time limit and failed after it', async () => {
    await expect(eventually(slowCheck(1), 1)).resolves.toBe('passed');
  });

  it('rejects with the error of a check that began after the time limit', async () => {
    await expect(eventually(slowCheck(9), 1)).rejects.toThrow('check 2 failed');
  });
});

describe('promptly', () => {
  it('repeats a check until it passes, and rejects with its error after the time limit', async () => {
    let calls = 0;
    const second = (): number => {
      calls += 1;
      if (calls < 2) throw new Error('too early');
      return calls;
    };
    await expect(promptly(second, 60_000)).resolves.toBe(2);
    const never = (): never => {
      throw new Error('never');
    };
    await expect(promptly(never, 1)).rejects.toThrow('never');
  });

  it('has a longer limit while timers of this process are late', async () => {
    let isReady = false;
    setTimeout(() => (isReady = true), 200);
    let isBlocked = false;
    const check = (): void => {
      const until = performance.now() + (isBlocked ? 0 : 100);
      while (performance.now() < until);
      isBlocked = true;
      expect(isReady).toBe(true);
    };
    await promptly(check, 50);
  });
});
