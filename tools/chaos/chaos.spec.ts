import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { projectRoot } from '../provision/project-root.js';
import { describeCounts, describeTopology, hasViolation, readCounts, readPauses, type Counts } from './counts.js';
import { parseOptions } from './options.js';

describe('the counts of a round', () => {
  it('are the sums of all lines, without one that is incomplete', () => {
    const counts = ['"kills":1', '"executions":40,"lost":0', '"kills":1', '"executions":2,"lost":1', '"freezes":1'];
    const sum = readCounts([...counts.map((count) => `{${count}}`), '{"kil'].join('\n'));
    const nothing = {
      kills: 0,
      freezes: 0,
      executions: 0,
      lost: 0,
      instants: 0,
      missed: 0,
      doubled: 0,
      events_lost: 0,
      gaps: 0,
    };
    expect(sum).toEqual({ ...nothing, kills: 2, freezes: 1, executions: 42, lost: 1 });
    expect(describeCounts(sum)).toBe(
      '2 kills, 1 freezes, 42 executions, 1 lost, 0 instants, 0 missed, 0 doubled, 0 events lost, 0 gaps',
    );
    expect(hasViolation(sum)).toBe(true);
    expect(readCounts('')).toEqual(nothing);
    expect(hasViolation(nothing as Counts)).toBe(false);
    expect(hasViolation({ ...nothing, events_lost: 1 })).toBe(true);
    expect(hasViolation({ ...nothing, gaps: 1 })).toBe(false);
  });

  it('say for a topology how many executions finished, and how long each promotion took', () => {
    const record = [
      '"kills":1',
      '"pause_ms":700',
      '"executions":40,"lost":1',
      '"pause_ms":1200',
      '"events_lost":2,"gaps":3',
    ];
    const text = record.map((count) => `{${count}}`).join('\n');
    const [counts, pauses] = [readCounts(text), readPauses(text)];
    expect(describeTopology(counts, pauses)).toBe(
      '1 kills, 0 freezes; executions: 40 started, 39 finished, 1 lost; events: 2 lost, 3 gaps told; ' +
        'without service after a promotion: 1200 ms at most (700, 1200)',
    );
    expect(describeTopology(counts, [])).toContain('no promotion');
  });
});

describe('the options', () => {
  it('are a time and a seed', () => {
    expect(parseOptions(['--minutes', '0.5', '--seed', '7'])).toEqual({ minutes: 0.5, seed: 7 });
    expect(parseOptions([])).toEqual({ minutes: 10, seed: expect.any(Number) });
  });

  it('can name a topology, whose tests take an hour by default', () => {
    const topology = expect.arrayContaining(['database-failover', 'nats-cluster']);
    expect(parseOptions(['--topology', 'cluster', '--seed', '7'])).toEqual({ minutes: 60, seed: 7, topology });
    expect(parseOptions(['--topology', 'cluster', '--minutes', '3'])).toMatchObject({ minutes: 3, topology });
    for (const name of parseOptions(['--topology', 'cluster']).topology ?? []) {
      expect(existsSync(join(projectRoot, 'test/chaos', `${name}.e2e-spec.ts`))).toBe(true);
    }
  });

  it.each([
    [['--minutes', '0']],
    [['--minutes', 'many']],
    [['--seed', '-1']],
    [['--rounds', '3']],
    [['--topology', 'ring']],
    [['x']],
  ])('reject %j', (args) => {
    expect(() => parseOptions(args)).toThrow();
  });
});
