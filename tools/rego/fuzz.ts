import { existsSync } from 'node:fs';
import { fuzzPolicies, SEED_POLICIES } from '@app/rego';
import type { FuzzReport } from '@app/rego';
import { readCategories } from './conformance.js';

export interface FuzzOptions {
  readonly runs: number;
  readonly seed: number;
  /** A folder of conformance cases whose modules are mutated as well. */
  readonly folder: string | undefined;
}

/** Mutates policies and evaluates those that still compile. Any error without a type of its own counts as a crash. */
export function fuzz({ runs, seed, folder }: FuzzOptions): FuzzReport {
  const seeds = [...SEED_POLICIES];
  if (folder !== undefined && existsSync(folder)) {
    for (const { text } of readCategories(folder)) {
      for (const test of JSON.parse(text) as { modules?: string[] }[]) seeds.push(...(test.modules ?? []));
    }
  }
  return fuzzPolicies({ seeds, runs, seed });
}
