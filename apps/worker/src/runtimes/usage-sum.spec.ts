import { describe, expect, it } from '@jest/globals';
import { readUsage, sumOf, usageWithout } from './usage-sum.js';

const usage = (tokens: number, requests: number) =>
  readUsage({ prompt_tokens: tokens, completion_tokens: 1, total_tokens: tokens + 1, model: 'm', requests });

describe('the usage of an attempt', () => {
  it('is the stored usage minus that of earlier attempts', () => {
    expect(usageWithout(sumOf([usage(10, 2), usage(5, 1)]), usage(10, 2))).toEqual(usage(5, 1));
    expect(usageWithout(usage(10, 2), null)).toEqual(usage(10, 2));
    expect(usageWithout(null, usage(10, 2))).toBeNull();
  });

  it('is never negative', () => {
    expect(usageWithout(usage(1, 1), usage(10, 2))).toMatchObject({ prompt_tokens: 0, total_tokens: 0, requests: 0 });
  });
});
