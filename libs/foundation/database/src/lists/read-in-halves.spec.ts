import { describe, expect, it } from '@jest/globals';
import { setTooLarge } from './bounded-page.js';
import { readInHalves } from './read-in-halves.js';

describe('readInHalves', () => {
  /**
   * Returns a read that fails if the sum of the sizes exceeds `max`, and the list of its calls. Each item is the size
   * of its row.
   */
  function readUpTo(max: number): [(sizes: readonly number[]) => Promise<readonly number[]>, (readonly number[])[]] {
    const calls: (readonly number[])[] = [];
    const read = async (sizes: readonly number[]): Promise<readonly number[]> => {
      calls.push(sizes);
      if (sizes.reduce((sum, size) => sum + size, 0) > max) throw setTooLarge('The rows');
      return sizes;
    };
    return [read, calls];
  }

  it('reads all items at once if their rows are small enough', async () => {
    const [read, calls] = readUpTo(6);
    expect(await readInHalves([1, 2, 3], read)).toEqual([1, 2, 3]);
    expect(calls).toEqual([[1, 2, 3]]);
  });

  it('reads halves of items whose rows are too large together, and keeps their order', async () => {
    const [read, calls] = readUpTo(4);
    expect(await readInHalves([1, 2, 3, 4], read)).toEqual([1, 2, 3, 4]);
    expect(calls).toEqual([[1, 2, 3, 4], [1, 2], [3, 4], [3], [4]]);
  });

  it('rejects a single item that is too large, and does not repeat a read that failed for another reason', async () => {
    const [read] = readUpTo(4);
    await expect(readInHalves([1, 5], read)).rejects.toMatchObject({ code: 'related_data_too_large' });
    let calls = 0;
    const failing = async (): Promise<never> => {
      calls += 1;
      throw new Error('no connection');
    };
    await expect(readInHalves([1, 2], failing)).rejects.toThrow('no connection');
    expect(calls).toBe(1);
  });
});
