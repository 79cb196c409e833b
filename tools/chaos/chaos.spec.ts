import { describe, expect, it } from '@jest/globals';
import { describeCounts, hasViolation, readCounts, type Counts } from './counts.js';
import { parseOptions } from './options.js';

describe('the counts of a round', () => {
  it('are the sums of all lines, without one that is incomplete', () => {
    const counts = ['"kills":1', '"executions":40,"lost":0', '"kills":1', '"executions":2,"lost":1', '"freezes":1'];
    const sum = readCounts([...counts.map((count) => `{${count}}`), '{"kil'].join('\n'));
    const nothing = { kills: 0, freezes: 0, executions: 0, lost: 0, instants: 0, missed: 0, doubled: 0 };
    expect(sum).toEqual({ ...nothing, kills: 2, freezes: 1, executions: 42, lost: 1 });
    expect(describeCounts(sum)).toBe('2 kills, 1 freezes, 42 executions, 1 lost, 0 instants, 0 missed, 0 doubled');
    expect(hasViolation(sum)).toBe(true);
    expect(readCounts('')).toEqual(nothing);
    expect(hasViolation(nothing as Counts)).toBe(false);
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
