import { describe, expect, it } from '@jest/globals';
import { amountText, tokensText } from './usage-text';

describe('the usage of a trace', () => {
  it.each([
    [null, ''],
    [0, '0'],
    [1234567, '1,234,567'],
    [0.010512345, '0.01051'],
    [5e-9, '0.000000005'],
  ])('writes %p as %p', (amount, text) => {
    expect(amountText(amount)).toBe(text);
  });

  it.each([
    [{ input_tokens: 1000, output_tokens: 5, total_tokens: 1005 }, '1,005 (1,000 in, 5 out)'],
    [{ input_tokens: 1000, output_tokens: null, total_tokens: 1000 }, '1,000 (1,000 in)'],
    [{ input_tokens: null, output_tokens: null, total_tokens: 7 }, '7'],
    [{ input_tokens: null, output_tokens: null, total_tokens: null }, ''],
  ])('writes the tokens %j as %p', (tokens, text) => {
    expect(tokensText(tokens)).toBe(text);
  });
});
