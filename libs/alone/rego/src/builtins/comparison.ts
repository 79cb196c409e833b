import { compare, equal } from '../values/compare.js';
import type { Value } from '../values/value.js';
import type { Builtin, BuiltinTable } from './types.js';

function comparison(holds: (a: Value, b: Value) => boolean): Builtin {
  return { arity: 2, call: ([a, b]) => holds(a as Value, b as Value) };
}

export const comparisonBuiltins: BuiltinTable = {
  equal: comparison(equal),
  neq: comparison((a, b) => !equal(a, b)),
  lt: comparison((a, b) => compare(a, b) < 0),
  lte: comparison((a, b) => compare(a, b) <= 0),
  gt: comparison((a, b) => compare(a, b) > 0),
  gte: comparison((a, b) => compare(a, b) >= 0),
};
