import { describe, expect, it } from '@jest/globals';
import { describeCounts, readCounts } from './counts.js';
import { parseOptions } from './options.js';

describe('the counts of a round', () => {
  it('are the sums of all lines, without one that is incomplete', () => {
    const record = '{"kills":1}\n{"executions":40,"lost":0}\n{"kills":1}\n{"executions":2,"lost":1}\n{"kil';
    expect(readCounts(record)).toEqual({ kills: 2, executions: 42, lost: 1 });
    expect(describeCounts(readCounts(record))).toBe('2 kills, 42 executions, 1 lost');
    expect(readCounts('')).toEqual({ kills: 0, executions: 0, lost: 0 });
  });
});

describe('the options', () => {
  it('are a time and a seed', () => {
    expect(parseOptions(['--minutes', '0.5', '--seed', '7'])).toEqual({ minutes: 0.5, seed: 7 });
    expect(parseOptions([])).toEqual({ minutes: 10, seed: expect.any(Number) });
  });

  it.each([[['--minutes', '0']], [['--minutes', 'many']], [['--seed', '-1']], [['--rounds', '3']], [['x']]])(
    'reject %j',
    (args) => {
      expect(() => parseOptions(args)).toThrow();
    },
  );
});
