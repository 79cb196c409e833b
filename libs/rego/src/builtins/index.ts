import { aggregateBuiltins } from './aggregates.js';
import { arrayBuiltins } from './arrays.js';
import { comparisonBuiltins } from './comparison.js';
import { graphBuiltins } from './graph.js';
import { numberBuiltins } from './numbers.js';
import { objectBuiltins } from './objects.js';
import { outsideBuiltins } from './outside.js';
import { semverBuiltins } from './semver.js';
import { setBuiltins } from './sets.js';
import { stringBuiltins } from './strings.js';
import { typeBuiltins } from './types-of.js';
import { unitBuiltins } from './units.js';
import type { Builtin, BuiltinTable } from './types.js';

const TABLES: readonly BuiltinTable[] = [
  aggregateBuiltins,
  arrayBuiltins,
  comparisonBuiltins,
  graphBuiltins,
  numberBuiltins,
  objectBuiltins,
  outsideBuiltins,
  semverBuiltins,
  setBuiltins,
  stringBuiltins,
  typeBuiltins,
  unitBuiltins,
];

const STANDARD: ReadonlyMap<string, Builtin> = new Map(TABLES.flatMap((table) => Object.entries(table)));

/** All builtins by name; `extra` come on top. */
export function builtinTable(extra: Readonly<Record<string, Builtin>> | undefined): ReadonlyMap<string, Builtin> {
  return extra === undefined ? STANDARD : new Map([...STANDARD, ...Object.entries(extra)]);
}
