import { describe, expect, it } from '@jest/globals';
import { ruleValue } from '../testing.js';

describe('Documents', () => {
  it('contain rules whose value is null', () => {
    expect(ruleValue('x := null\ny.z := null', 'data.t')).toEqual({ x: null, y: { z: null } });
    expect(ruleValue('x := null\nn := count(data.t.inner)\ninner.a := null', 'data.t.n')).toBe(1);
  });
});
