import { inTurn, toFigure, type Figure } from '../figures.js';
import { oneByOne } from '../load.js';
import { percentile } from '../statistics.js';
import { backgroundRows } from './background.js';
import type { Size } from './fill.sql.js';
import { retentionBesideTriggers } from './retention.js';
import { measuredRows } from './rows.js';
import { startSizedPlatforms, type SizedPlatform } from './sized-platform.js';

/** Executions, jobs, queues and organizations of the smallest of three sizes; the others are 10 and 100 times as large. */
const SMALLEST: Size = { organizations: 10, queues: 100, jobs: 1000, executions: 100_000 };
/** Divides the number of executions, for machines without the time or the disk (40 GB) for 10 million. */
const DIVISOR = Number(process.env['BENCH_GROWTH_DIVISOR'] ?? 1);
/** The sizes to measure, as multiples of the smallest, which comes first: `1,100` leaves out the middle one. */
const FACTORS = process.env['BENCH_GROWTH_FACTORS']?.split(',').map(Number);
const WARM_UP = 10;

/**
 * The same requests to databases of three sizes, in turn: medians of the larger ones, compared with the smallest. The
 * largest has 10 million executions of 1,000 organizations, of which the measured one has a tenth. With `quick`, the
 * largest size is left out.
 */
export async function growth(rounds: number, count: number, quick: boolean): Promise<Figure[]> {
  const factors = FACTORS ?? (quick ? [1, 10] : [1, 10, 100]);
  const { platforms, stop } = await startSizedPlatforms(factors.map((factor) => times(SMALLEST, factor)));
  try {
    const figures: Figure[] = [];
    for (const [name, prepare] of Object.entries(measuredRows)) {
      const requests = await Promise.all(platforms.map((platform) => prepare(platform)));
      const sides = (of: number): (() => Promise<number>)[] =>
        requests.map((request) => async () => percentile(await oneByOne(of, request), 0.5));
      await inTurn(sides(WARM_UP), 1);
      figures.push(...compareSizes(name, 'ms', platforms, await inTurn(sides(count), rounds)));
    }
    for (const [name, { unit, measure }] of Object.entries(backgroundRows)) {
      const sides = platforms.map((platform) => () => measure(platform));
      figures.push(...compareSizes(name, unit, platforms, await inTurn(sides, 1)));
    }
    const largest = platforms.at(-1);
    if (largest !== undefined) figures.push(...(await retentionBesideTriggers(largest, rounds, quick ? 1 : 3)));
    return figures;
  } finally {
    await stop();
  }
}

function times({ organizations, queues, jobs, executions }: Size, factor: number): Size {
  return {
    organizations: organizations * factor,
    queues: queues * factor,
    jobs: jobs * factor,
    executions: Math.round((executions * factor) / DIVISOR),
  };
}

/** A figure for each larger size, with the smallest as its baseline. */
function compareSizes(
  name: string,
  unit: string,
  platforms: readonly SizedPlatform[],
  [smallest = [], ...larger]: readonly (readonly number[])[],
): Figure[] {
  return larger.map((ours, at) => {
    const executions = platforms[at + 1]?.size.executions.toLocaleString('en') ?? '';
    const baselineIs = `the same at ${platforms[0]?.size.executions.toLocaleString('en') ?? ''}`;
    return toFigure({ name: `${name}, at ${executions}`, unit, baselineIs }, { ours, baseline: smallest, against: [] });
  });
}
