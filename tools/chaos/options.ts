import { parseArgs } from 'node:util';

export interface ChaosOptions {
  readonly minutes: number;
  /** Determines the order of the tests and the seed of each round. */
  readonly seed: number;
  /** The tests of a topology, each of which runs once and loses servers for an equal part of the time. */
  readonly topology?: readonly string[];
}

/** Tests whose stores are replicated, so that another server takes over. */
const TOPOLOGIES: Readonly<Record<string, readonly string[]>> = {
  cluster: ['database-failover', 'redis-cluster', 'redis-sentinels', 'nats-cluster'],
};
const OPTIONS = { minutes: { type: 'string' }, seed: { type: 'string' }, topology: { type: 'string' } } as const;

/** Throws for unknown options and values. Minutes default to 10 (with a topology: 60), the seed to a random one. */
export function parseOptions(args: readonly string[]): ChaosOptions {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const topology = topologyOf(values.topology);
  const minutes = Number(values.minutes ?? (topology === undefined ? 10 : 60));
  if (!(minutes > 0 && minutes <= 1440)) throw new Error('--minutes must be a number above 0 and at most 1440');
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
  if (!Number.isInteger(seed) || seed < 0) throw new Error('--seed must be an integer of at least 0');
  return { minutes, seed, ...(topology === undefined ? {} : { topology }) };
}

function topologyOf(name: string | undefined): readonly string[] | undefined {
  if (name === undefined) return undefined;
  const names = Object.keys(TOPOLOGIES);
  if (!names.includes(name)) throw new Error(`--topology must be ${names.join(' or ')}`);
  return TOPOLOGIES[name];
}
