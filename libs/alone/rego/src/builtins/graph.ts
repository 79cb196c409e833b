import type { Run } from '../evaluate/run.js';
import { isArray, keyOf, RegoObject, RegoSet } from '../values/value.js';
import type { Key, Value } from '../values/value.js';
import { itemsOperand, objectOperand } from './operands.js';
import { BuiltinError } from './types.js';
import type { BuiltinTable } from './types.js';

function neighbours(graph: RegoObject, node: Value): readonly Value[] {
  const edges = graph.get(node);
  if (edges instanceof RegoSet) return edges.items();
  return isArray(edges) ? edges : [];
}

function reachable(args: readonly Value[], run: Run): Value {
  const graph = objectOperand(args, 1);
  const queue = [...itemsOperand(args, 2, '{array, set}')];
  const found = new Map<Key, Value>();
  for (let at = 0; at < queue.length; at++) {
    const node = queue[at] as Value;
    run.meter.step();
    if (found.has(keyOf(node)) || !graph.has(node)) continue;
    run.meter.allocate(64);
    found.set(keyOf(node), node);
    for (const next of neighbours(graph, node)) if (!found.has(keyOf(next))) queue.push(next);
  }
  return new RegoSet(found);
}

/**
 * Returns the paths from the roots. A path ends at a node without neighbors, or before a node that an earlier path with
 * the same first neighbor contains.
 */
function reachablePaths(args: readonly Value[], run: Run): Value {
  const graph = objectOperand(args, 1);
  const paths = new Map<Key, Value>();
  const commit = (path: readonly Value[]): void => {
    run.meter.allocate(64 + path.length * 32);
    paths.set(keyOf(path), path);
  };
  const visit = (node: Value, before: readonly Value[], expanded: Set<Key>): void => {
    run.meter.work(1 + before.length);
    if (!graph.has(node)) {
      commit(before);
      return;
    }
    const path = [...before, node];
    const next = neighbours(graph, node);
    if (next.length === 0) commit(path);
    for (const other of next) {
      if (expanded.has(keyOf(other))) commit(path);
      else visit(other, path, expanded.add(keyOf(node)));
    }
  };
  for (const root of itemsOperand(args, 2, '{array, set}')) {
    if (!graph.has(root)) continue;
    const next = neighbours(graph, root);
    if (next.length === 0) commit([root]);
    for (const other of next) visit(other, [root], new Set([keyOf(root)]));
  }
  return new RegoSet(paths);
}

/** Yields pairs of path and value: first the whole value, then its parts depth-first in the order of keys. */
function* walk([value]: readonly Value[], run: Run): Generator<Value> {
  const pending: { path: readonly Value[]; value: Value }[] = [{ path: [], value: value as Value }];
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    run.meter.allocate(48 + item.path.length * 8);
    yield [item.path, item.value];
    const children = childrenOf(item.value);
    for (let at = children.length - 1; at >= 0; at--) {
      const [key, child] = children[at] as [Value, Value];
      pending.push({ path: [...item.path, key], value: child });
    }
  }
}

function childrenOf(value: Value): readonly (readonly [Value, Value])[] {
  if (isArray(value)) return value.map((item, at) => [at, item] as const);
  if (value instanceof RegoObject) return value.entries();
  return value instanceof RegoSet ? value.items().map((item) => [item, item] as const) : [];
}

export const graphBuiltins: BuiltinTable = {
  'graph.reachable': { arity: 2, call: reachable },
  'graph.reachable_paths': { arity: 2, call: reachablePaths },
  walk: {
    arity: 1,
    relation: walk,
    call: () => {
      throw new BuiltinError('walk has many answers');
    },
  },
};
