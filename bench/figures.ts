import { median } from './statistics.js';

/** The medians of alternating rounds of this build, its baseline and the build of `--against`. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  /** null when the figure has no baseline. */
  readonly baseline: number | null;
  /** The work that the baseline does, in one line. */
  readonly baselineIs: string;
  /** The value of this build divided by that of the baseline. */
  readonly ratio: number | null;
  /** null without `--against`, and for figures that do not compare builds. */
  readonly against: number | null;
  /** The value of this build divided by that of the other build. */
  readonly againstRatio: number | null;
  readonly rounds: Rounds;
}

/** The measured values of each side, one per round; empty for a side that is not measured. */
export interface Rounds {
  readonly ours: readonly number[];
  readonly baseline: readonly number[];
  readonly against: readonly number[];
}

export type Label = Pick<Figure, 'name' | 'unit' | 'baselineIs'>;

interface Comparison extends Label {
  readonly ours: () => Promise<number>;
  readonly baseline: () => Promise<number>;
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

export async function compare({ ours, baseline, ...label }: Comparison, rounds: number): Promise<Figure> {
  const [baselines = [], own = []] = await inTurn([baseline, ours], rounds);
  return toFigure(label, { ours: own, baseline: baselines, against: [] });
}

/** A figure without a baseline. */
export function alone(name: string, unit: string, ours: readonly number[]): Figure {
  return toFigure({ name, unit, baselineIs: '–' }, { ours, baseline: [], against: [] });
}

export function toFigure({ name, unit, baselineIs }: Label, rounds: Rounds): Figure {
  const ours = median(rounds.ours);
  const baseline = rounds.baseline.length === 0 ? null : median(rounds.baseline);
  const against = rounds.against.length === 0 ? null : median(rounds.against);
  return {
    name,
    unit,
    ours,
    baseline,
    baselineIs,
    ratio: baseline === null ? null : ours / baseline,
    against,
    againstRatio: against === null ? null : ours / against,
    rounds,
  };
}

/** Omits the columns of the other build if no figure has values of it. */
export function toTable(figures: readonly Figure[]): string {
  const compared = figures.some(({ against }) => against !== null);
  const row = (cells: readonly string[], against: readonly string[], baselineIs: string): string[] => [
    ...cells,
    ...(compared ? against : []),
    baselineIs,
  ];
  const table = [
    row(['figure', 'ours', 'baseline', 'ratio'], ['other build', 'ratio'], 'the baseline is'),
    ...figures.map((figure) =>
      row(
        [
          figure.name,
          format(figure.ours, figure.unit),
          format(figure.baseline, figure.unit),
          formatRatio(figure.ratio),
        ],
        [format(figure.against, figure.unit), formatRatio(figure.againstRatio)],
        figure.baselineIs,
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
