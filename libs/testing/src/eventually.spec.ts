import { describe, expect, it } from '@jest/globals';
import { eventually } from './eventually.js';

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
