import type { Builtin, BuiltinTable } from './types.js';
import { comparisonBuiltins } from './comparison.js';
import { numberBuiltins } from './numbers.js';
import { setBuiltins } from './sets.js';
import { outsideBuiltins } from './outside.js';

const TABLES: readonly BuiltinTable[] = [comparisonBuiltins, numberBuiltins, setBuiltins, outsideBuiltins];

const STANDARD: ReadonlyMap<string, Builtin> = new Map(TABLES.flatMap((table) => Object.entries(table)));

/** All builtins by name; `extra` come on top. */
export function builtinTable(extra: Readonly<Record<string, Builtin>> | undefined): ReadonlyMap<string, Builtin> {
  return extra === undefined ? STANDARD : new Map([...STANDARD, ...Object.entries(extra)]);
}
