import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandName } from './lifecycle.types.js';
import { EFFECTS, PHASES } from './phases.js';

const RECORD = 'docs/adr/0065-life-of-an-execution.md';

describe('the table of effects', () => {
  it('is the one in its record of the decision', () => {
    const [header = [], , ...rows] = tableIn(readFileSync(join(process.cwd(), RECORD), 'utf8'));
    expect(header.slice(1)).toEqual(PHASES);
    const recorded = Object.fromEntries(
      header
        .slice(1)
        .map((phase, column) => [phase, effectsIn(rows.map((row) => [row[0] ?? '', row[column + 1] ?? '']))]),
    );
    expect(recorded).toEqual(EFFECTS);
  });
});

function tableIn(markdown: string): string[][] {
  const lines = markdown.split('\n').filter((line) => line.startsWith('|'));
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

function effectsIn(cells: readonly (readonly [string, string])[]): Partial<Record<CommandName, string>> {
  return Object.fromEntries(cells.filter(([, effect]) => effect !== ''));
}
