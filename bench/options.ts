import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

export interface Options {
  /** The groups of figures to run, in the order of the table. */
  readonly names: readonly string[];
  /** Shorter rounds. */
  readonly quick: boolean;
  readonly rounds: number;
  /** The folder of the checkout to compare with. */
  readonly against: string | null;
}

export interface Groups {
  readonly all: readonly string[];
  /** Groups that also measure the build of `--against`. */
  readonly comparingBuilds: readonly string[];
}

/**
 * Without names, every group is chosen; with `--against`, every group that compares builds. Rounds default to 5, with
 * `--quick` to 1. Throws for unknown options and names, and for a folder without a built control plane.
 */
export function parseOptions(args: readonly string[], groups: Groups): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { quick: { type: 'boolean', default: false }, rounds: { type: 'string' }, against: { type: 'string' } },
  });
  const { quick } = values;
  const rounds = Number(values.rounds ?? (quick ? 1 : 5));
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds must be an integer of at least 1');
  const against = values.against === undefined ? null : resolve(values.against);
  if (against !== null && !existsSync(join(against, 'dist/apps/control-plane/src/main.js'))) {
    throw new Error(`${against} is not built: run "node tools/build.mjs" there`);
  }
  const known = against === null ? groups.all : groups.comparingBuilds;
  const unknown = positionals.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`Unknown: ${unknown.join(', ')}. Choose from: ${known.join(', ')}`);
  const names = positionals.length === 0 ? known : known.filter((name) => positionals.includes(name));
  return { names, quick, rounds, against };
}
