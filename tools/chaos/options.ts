import { parseArgs } from 'node:util';

export interface ChaosOptions {
  readonly minutes: number;
  /** Determines the order of the tests and the seed of each round. */
  readonly seed: number;
}

/** Throws for unknown options and values. Minutes default to 10, the seed to a random one. */
export function parseOptions(args: readonly string[]): ChaosOptions {
  const { values } = parseArgs({ args: [...args], options: { minutes: { type: 'string' }, seed: { type: 'string' } } });
  const minutes = Number(values.minutes ?? 10);
  if (!(minutes > 0 && minutes <= 1440)) throw new Error('--minutes must be a number above 0 and at most 1440');
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
  if (!Number.isInteger(seed) || seed < 0) throw new Error('--seed must be an integer of at least 0');
  return { minutes, seed };
}
