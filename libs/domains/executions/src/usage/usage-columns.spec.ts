import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@app/kernel';
import fc from 'fast-check';
import { costOf, pricesIn, readUsage } from './usage-columns.js';

const unknown = { model: null, input_tokens: null, output_tokens: null, total_tokens: null };

describe('readUsage', () => {
  it.each<[JsonObject, object]>([
    [{}, {}],
    [
      { model: 'm', prompt_tokens: 3, completion_tokens: 4, total_tokens: 9 },
      { model: 'm', input_tokens: 3, output_tokens: 4, total_tokens: 9 },
    ],
    [{ input_tokens: 3 }, { input_tokens: 3, total_tokens: 3 }],
    [
      { output_tokens: 1.4, input_tokens: '3' },
      { output_tokens: 1, total_tokens: 1 },
    ],
    [{ total_tokens: 7 }, { total_tokens: 7 }],
    [{ prompt_tokens: -1, completion_tokens: 1e300, total_tokens: null, model: 7 }, {}],
    [{ model: '' }, {}],
  ])('of %j is %j', (usage, expected) => {
    expect(readUsage(usage)).toEqual({ ...unknown, ...expected });
  });

  it('accepts any object', () => {
    fc.assert(
      fc.property(fc.object(), (usage) => {
        const { total_tokens: total } = readUsage(usage);
        expect(total === null || Number.isSafeInteger(total)).toBe(true);
      }),
    );
  });
});

describe('costOf', () => {
  const tokens = { input_tokens: 1000, output_tokens: 500 };

  it.each<[JsonObject]>([
    [{ input_cost_per_token: 0.000003, output_cost_per_token: 0.000015 }],
    [{ input_cost_per_token: '0.000003', output_cost_per_token: '0.000015' }],
    [{ prompt: '0.000003', completion: '0.000015' }],
    [{ input_cost_per_1k_tokens: 0.003, output_cost_per_1k_tokens: 0.015 }],
    [{ input_cost_per_million_tokens: 3, output_cost_per_million_tokens: 15 }],
    [{ input_per_million: 3, output_per_million: 15 }],
    [{ input: 3, output: 15 }],
    [{ input_cost_per_token: 0.000003, output: 15, input: 99, currency: 'USD' }],
  ])('accepts the prices %j', (pricing) => {
    expect(costOf(tokens, pricing)).toBe(10_500_000);
    expect(costOf(tokens, pricesIn({ ...pricing, notes: ['x'], prompt: pricing['prompt'] ?? 'free' }))).toBe(
      10_500_000,
    );
  });

  it('keeps only the prices of a pricing', () => {
    expect(pricesIn({ input: '3', output: -1, completion: 'x'.repeat(1000), tiers: [{ input: 1 }] })).toEqual({
      input: 3,
    });
  });

  it('is unknown if used tokens have no price, and if the tokens are unknown', () => {
    expect(costOf(tokens, {})).toBeNull();
    expect(costOf(tokens, { input: 3 })).toBeNull();
    expect(costOf({ input_tokens: 1000, output_tokens: 0 }, { input: 3 })).toBe(3_000_000);
    expect(costOf({ input_tokens: null, output_tokens: null }, { input: 3, output: 15 })).toBeNull();
    expect(costOf(tokens, { input: -3, output: 15 })).toBeNull();
    expect(costOf(tokens, { input: 'cheap', output: {} })).toBeNull();
    expect(costOf(tokens, { input: 1e300, output: 15 })).toBeNull();
  });
});
