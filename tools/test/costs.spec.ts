import { describe, expect, it } from '@jest/globals';
import { describeCosts, type FileCosts } from './costs.js';

const file = (name: string, cpu: number, ofProcesses: number): FileCosts => ({
  file: name,
  wall_ms: 5000,
  cpu_ms: cpu,
  processes_cpu_ms: ofProcesses,
  processes: [{ program: 'dist/bundles/worker.js', cpu_ms: ofProcesses }],
});

describe('the costs of a run', () => {
  it('are those of the most expensive files, of all files, and of the programs they started', () => {
    const costs = [file('cheap', 100, 0), file('own', 3000, 0), file('processes', 1000, 4000)];
    expect(
      describeCosts(costs, [{ program: 'PostgreSQL', starts: 1, cpu_ms: 9000 }], 2).map((line) =>
        line.trim().split(/ {2,}/),
      ),
    ).toEqual([
      ['CPU', 'worker', 'processes', 'wall', 'test file (3 in all)'],
      ['5.0 s', '1.0 s', '4.0 s', '5.0 s', 'processes'],
      ['3.0 s', '3.0 s', '0.0 s', '5.0 s', 'own'],
      ['8.1 s', '4.1 s', '4.0 s', '15.0 s', 'all files'],
      ['9.0 s', 'PostgreSQL (1)'],
      ['4.0 s', 'dist/bundles/worker.js (3)'],
    ]);
  });
});
