import { median } from './statistics.js';

/** The medians of alternated rounds: this build, its bare limit and the build of `--against`. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  /** null when the figure has no bare limit. */
  readonly limit: number | null;
  /** The work that the limit does, in one line. */
  readonly limitIs: string;
  /** The value of this build divided by that of the limit. */
  readonly ratio: number | null;
  /** null without `--against`, and for figures that do not compare builds. */
  readonly against: number | null;
  /** The value of this build divided by that of the other build. */
  readonly againstRatio: number | null;
  readonly rounds: Rounds;
}

/** One value per round and side; empty for a side that is not measured. */
export interface Rounds {
  readonly ours: readonly number[];
  readonly limit: readonly number[];
  readonly against: readonly number[];
}

export type Label = Pick<Figure, 'name' | 'unit' | 'limitIs'>;

interface Comparison extends Label {
  readonly ours: () => Promise<number>;
  readonly limit: () => Promise<number>;
}

/**
 * Measures every side once per round and returns the values of each side. The sides alternate, so a drift of the
 * machine's speed affects all of them; each round starts with the next side, so that none always runs first.
 */
export async function inTurn<T>(sides: readonly (() => Promise<T>)[], rounds: number): Promise<T[][]> {
  const values: T[][] = sides.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < sides.length; turn += 1) {
      const at = (round + turn) % sides.length;
      const value = await sides[at]?.();
      if (value !== undefined) values[at]?.push(value);
    }
  }
  return values;
}

export async function compare({ ours, limit, ...label }: Comparison, rounds: number): Promise<Figure> {
  const [limits = [], own = []] = await inTurn([limit, ours], rounds);
  return toFigure(label, { ours: own, limit: limits, against: [] });
}

/** A figure without a bare limit. */
export function alone(name: string, unit: string, ours: readonly number[]): Figure {
  return toFigure({ name, unit, limitIs: '–' }, { ours, limit: [], against: [] });
}

export function toFigure({ name, unit, limitIs }: Label, rounds: Rounds): Figure {
  const ours = median(rounds.ours);
  const limit = rounds.limit.length === 0 ? null : median(rounds.limit);
  const against = rounds.against.length === 0 ? null : median(rounds.against);
  return {
    name,
    unit,
    ours,
    limit,
    limitIs,
    ratio: limit === null ? null : ours / limit,
    against,
    againstRatio: against === null ? null : ours / against,
    rounds,
  };
}

/** Omits the columns of the other build if no figure has values of it. */
export function toTable(figures: readonly Figure[]): string {
  const compared = figures.some(({ against }) => against !== null);
  const row = (cells: readonly string[], against: readonly string[], limitIs: string): string[] => [
    ...cells,
    ...(compared ? against : []),
    limitIs,
  ];
  const table = [
    row(['figure', 'ours', 'bare limit', 'ratio'], ['other build', 'ratio'], 'the limit is'),
    ...figures.map((figure) =>
      row(
        [figure.name, format(figure.ours, figure.unit), format(figure.limit, figure.unit), formatRatio(figure.ratio)],
        [format(figure.against, figure.unit), formatRatio(figure.againstRatio)],
        figure.limitIs,
      ),
    ),
  ];
  const widths = table[0]?.map((_cell, column) => Math.max(...table.map((cells) => cells[column]?.length ?? 0))) ?? [];
  return table
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function format(value: number | null, unit: string): string {
  if (value === null) return '–';
  return `${value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)} ${unit}`;
}

function formatRatio(ratio: number | null): string {
  return ratio === null ? '–' : ratio.toFixed(2);
}
