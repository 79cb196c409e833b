import { describe, expect, it } from '@jest/globals';
import { failingCondition } from './step-condition.js';

describe('failingCondition', () => {
  it('returns the first condition that is false', () => {
    const matching = { step: 'a', matches: '^x+$' };
    const failing = { step: 'b', exists: true };
    const outputOf = (step: string): string | null => (step === 'a' ? 'xxx' : null);
    expect(failingCondition([matching, failing], outputOf)).toBe(failing);
    expect(failingCondition([matching], outputOf)).toBeUndefined();
  });

  it('bounds the time of one expression, and of all together', () => {
    const tooLong = 'took too long';
    const slow = { step: 'a', matches: '^(x+)+$' };
    expect(() => failingCondition([slow], () => `${'x'.repeat(40)}y`)).toThrow(tooLong);
    let time = 0;
    const now = (): number => (time += 90);
    const all = (count: number): unknown =>
      failingCondition(
        Array.from({ length: count }, () => slow),
        () => 'x',
        now,
      );
    expect(all(5)).toBeUndefined();
    expect(() => all(12)).toThrow(tooLong);
  });
});
