import type { Run } from '../evaluate/run.js';
import { keyOf, RegoSet } from '../values/value.js';
import type { Key, Value } from '../values/value.js';
import { operandError, setOperand } from './operands.js';
import type { BuiltinTable } from './types.js';

function union(sets: readonly RegoSet[], run: Run): RegoSet {
  const members = new Map<Key, Value>();
  for (const set of sets) {
    run.meter.work(set.size);
    run.meter.allocate(set.size * 48);
    for (const item of set.unordered()) members.set(keyOf(item), item);
  }
  return new RegoSet(members);
}

function intersection(sets: readonly RegoSet[], run: Run): RegoSet {
  const [first, ...others] = sets;
  if (first === undefined) return new RegoSet();
  run.meter.work(first.size * sets.length);
  return new RegoSet([...first.unordered()].filter((item) => others.every((set) => set.has(item))));
}

function setsOf(args: readonly Value[]): RegoSet[] {
  return [...setOperand(args, 1).unordered()].map((item) => {
    if (!(item instanceof RegoSet)) throw operandError(1, 'set', item);
    return item;
  });
}

export const setBuiltins: BuiltinTable = {
  and: { arity: 2, call: (args, run) => intersection([setOperand(args, 1), setOperand(args, 2)], run) },
  or: { arity: 2, call: (args, run) => union([setOperand(args, 1), setOperand(args, 2)], run) },
  union: { arity: 1, call: (args, run) => union(setsOf(args), run) },
  intersection: { arity: 1, call: (args, run) => intersection(setsOf(args), run) },
  set_diff: {
    arity: 2,
    call: (args) => {
      const [set, removed] = [setOperand(args, 1), setOperand(args, 2)];
      return new RegoSet([...set.unordered()].filter((item) => !removed.has(item)));
    },
  },
};
