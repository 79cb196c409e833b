import { describe, expect, it } from '@jest/globals';
import { CallLimits } from './call-limits.js';

describe('CallLimits', () => {
  it('admits as many calls of each key as allowed, and another one when a call has ended', () => {
    const limits = new CallLimits(2);
    const [end] = [limits.enter('ann'), limits.enter('ann')];
    expect(() => limits.enter('ann')).toThrow('at most 2 run');
    limits.enter('bob');
    end();
    limits.enter('ann');
    expect(() => limits.enter('ann')).toThrow('at most 2 run');
  });
});
