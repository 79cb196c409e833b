import { describe, expect, it } from '@jest/globals';
import { fromPlain } from '../values/convert.js';
import { readingSteps } from './key-costs.js';

describe('the steps to read a key', () => {
  it.each(['P-1', 'constructor', '__proto__', ''])('are those of the largest curve if the curve is %j', (crv) => {
    const steps = (name: string): number => readingSteps(fromPlain({ kty: 'EC', crv: name }));
    expect(steps(crv)).toBe(steps('P-521'));
  });
});
