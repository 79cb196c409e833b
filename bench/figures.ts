import { median } from './statistics.js';

/** One measured line: ours beside its bare limit, from rounds that alternated. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  readonly limit: number | null;
  /** What the limit does, in one line. */
  readonly limitIs: string;
  /** Ours as a part of the limit where more is better; ours over the limit where it is a time. */
  readonly ratio: number | null;
  readonly rounds: { readonly ours: readonly number[]; readonly limit: readonly number[] };
}

export interface Comparison {
  readonly name: string;
  readonly unit: string;
  readonly limitIs: string;
  readonly ours: () => Promise<number>;
  readonly limit: () => Promise<number>;
}

/** Runs both sides in turn, so that a machine whose speed drifts is as unfair to one as to the other. */
export async function compare(comparison: Comparison, rounds: number): Promise<Figure> {
  const { name, unit, limitIs } = comparison;
  const ours: number[] = [];
  const limit: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    limit.push(await comparison.limit());
    ours.push(await comparison.ours());
  }
  return {
    name,
    unit,
    limitIs,
    ours: median(ours),
    limit: median(limit),
    ratio: median(ours) / median(limit),
    rounds: { ours, limit },
  };
}

/** A figure that has no bare limit beside it. */
export function alone(name: string, unit: string, rounds: readonly number[]): Figure {
  return {
    name,
    unit,
    ours: median(rounds),
    limit: null,
    limitIs: '–',
    ratio: null,
    rounds: { ours: rounds, limit: [] },
  };
}

export function toTable(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.name,
    `${format(figure.ours)} ${figure.unit}`,
    figure.limit === null ? '–' : `${format(figure.limit)} ${figure.unit}`,
    figure.ratio === null ? '–' : figure.ratio.toFixed(2),
    figure.limitIs,
  ]);
  const table = [['figure', 'ours', 'bare limit', 'ratio', 'the limit is'], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
}

function format(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
