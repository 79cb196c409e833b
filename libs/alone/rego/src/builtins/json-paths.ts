import type { Run } from '../evaluate/run.js';
import { compare } from '../values/compare.js';
import { isArray, keyOf, RegoObject, RegoSet } from '../values/value.js';
import type { Key, Value } from '../values/value.js';
import { objectOperand, operandError } from './operands.js';
import type { BuiltinTable } from './types.js';

type Path = readonly Value[];

/** Returns paths, which are given as texts (`a/b/0`, with JSON pointer escapes) or as arrays of steps. */
function pathsOperand(args: readonly Value[], position: number): Path[] {
  const value = args[position - 1] as Value;
  const items = isArray(value) ? value : value instanceof RegoSet ? value.items() : undefined;
  if (items === undefined) throw operandError(position, 'one of {set, array}', value);
  return items.map((item) => {
    const path = parsePath(item);
    if (path === undefined)
      throw operandError(position, 'one of {set, array} containing string paths or array of path segments', item);
    return path;
  });
}

export function parsePath(item: Value): Path | undefined {
  if (isArray(item)) return item;
  if (typeof item !== 'string') return undefined;
  if (item === '') return [];
  return item
    .replace(/^\/+/, '')
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A tree of paths. A leaf selects everything below it. A path without steps selects nothing. */
class PathTree {
  readonly children = new Map<Key, PathTree>();
  isLeaf = false;

  static of(paths: readonly Path[]): PathTree {
    const root = new PathTree();
    for (const path of paths) {
      let node = root;
      for (const step of path) {
        const id = keyOf(step);
        let child = node.children.get(id);
        if (child === undefined) {
          child = new PathTree();
          node.children.set(id, child);
        }
        node = child;
      }
      if (path.length > 0) node.isLeaf = true;
    }
    return root;
  }

  /** Returns the subtree of a key. Elements of arrays are identified by texts, never by numbers. */
  child(key: Value): PathTree | undefined {
    return this.children.get(keyOf(key));
  }
}

function keep(value: Value, tree: PathTree, run: Run): Value {
  run.meter.step();
  if (tree.isLeaf) return value;
  if (isArray(value)) {
    const kept: Value[] = [];
    value.forEach((item, at) => {
      const below = tree.child(String(at));
      if (below !== undefined) kept.push(keep(item, below, run));
    });
    return kept;
  }
  const entries: [Value, Value][] = [];
  for (const [key, item] of membersOf(value)) {
    const below = tree.child(key);
    if (below !== undefined) entries.push([key, keep(item, below, run)]);
  }
  run.meter.allocate(entries.length * 64);
  return value instanceof RegoSet
    ? new RegoSet(entries.map(([, item]) => item))
    : value instanceof RegoObject
      ? new RegoObject(entries)
      : value;
}

function drop(value: Value, tree: PathTree, run: Run): Value {
  run.meter.step();
  if (isArray(value)) {
    const kept: Value[] = [];
    value.forEach((item, at) => {
      const below = tree.child(String(at));
      if (below === undefined) kept.push(item);
      else if (!below.isLeaf) kept.push(drop(item, below, run));
    });
    return kept;
  }
  if (!(value instanceof RegoObject) && !(value instanceof RegoSet)) return value;
  const entries: [Value, Value][] = [];
  for (const [key, item] of membersOf(value)) {
    const below = tree.child(key);
    if (below === undefined) entries.push([key, item]);
    else if (!below.isLeaf) entries.push([key, drop(item, below, run)]);
  }
  run.meter.allocate(entries.length * 64);
  return value instanceof RegoSet ? new RegoSet(entries.map(([, item]) => item)) : new RegoObject(entries);
}

function membersOf(value: Value): readonly (readonly [Value, Value])[] {
  if (value instanceof RegoObject) return value.entries();
  return value instanceof RegoSet ? [...value.items()].sort(compare).map((item) => [item, item] as const) : [];
}

export const jsonPathBuiltins: BuiltinTable = {
  'json.filter': {
    arity: 2,
    call: (args, run) => keep(objectOperand(args, 1), PathTree.of(pathsOperand(args, 2)), run),
  },
  'json.remove': {
    arity: 2,
    call: (args, run) => drop(objectOperand(args, 1), PathTree.of(pathsOperand(args, 2)), run),
  },
};
