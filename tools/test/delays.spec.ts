import { describe, expect, it } from '@jest/globals';
import { delaysOf } from './delays.js';

describe('the random delays of a run', () => {
  it('are none by default', () => {
    expect(delaysOf({})).toBeUndefined();
    expect(delaysOf({ TEST_DELAYS: '0' })).toBeUndefined();
  });

  it('are preloaded into all Node processes, with a seed that repeats them', () => {
    const { seed, variables } = delaysOf({ TEST_DELAYS: '4711', NODE_OPTIONS: '--no-warnings' }) ?? {};
    expect(seed).toBe('4711');
    expect(variables).toEqual({
      TEST_DELAYS: '4711',
      NODE_OPTIONS: expect.stringMatching(/^--no-warnings --require=".*\/tools\/test\/delays\.cjs"$/),
    });
    expect(delaysOf({ TEST_DELAYS: '1' })?.seed).toMatch(/^[1-9]\d+$/);
  });
});
