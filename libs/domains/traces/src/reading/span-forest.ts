/** What determines the place of a span. */
export interface ForestSpan {
  readonly span_id: string;
  readonly parent_span_id: string | null;
}

/** A span in the order of the forest, a parent directly before its first child. */
export interface PlacedSpan {
  /** Index of the span in the given list. */
  readonly index: number;
  /** Number of ancestors. */
  readonly depth: number;
}

const NONE = -1;

/**
 * Arranges the spans of a trace, which have different ids, as trees. Siblings keep their order. A span is a root if it
 * has no parent, if its parent is missing, or if it is the first span of a cycle, which is thereby cut. Takes linear
 * time and no recursion, because clients determine how deep a trace is.
 */
export function forestOf(spans: readonly ForestSpan[]): PlacedSpan[] {
  const parents = parentsOf(spans);
  cutCycles(parents);
  const { firstChild, nextSibling, firstRoot } = childrenOf(parents);
  const placed: PlacedSpan[] = [];
  const pending: PlacedSpan[] = firstRoot === NONE ? [] : [{ index: firstRoot, depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    placed.push(next);
    const sibling = nextSibling[next.index] ?? NONE;
    const child = firstChild[next.index] ?? NONE;
    if (sibling !== NONE) pending.push({ index: sibling, depth: next.depth });
    if (child !== NONE) pending.push({ index: child, depth: next.depth + 1 });
  }
  return placed;
}

/** Returns the index of the parent of each span, or `NONE`. */
function parentsOf(spans: readonly ForestSpan[]): Int32Array {
  const indexes = new Map(spans.map(({ span_id }, index) => [span_id, index]));
  return Int32Array.from(spans, ({ parent_span_id: parent }) =>
    parent === null ? NONE : (indexes.get(parent) ?? NONE),
  );
}

/** Follows the parents of each span until a span that was visited; one that was visited on the same way is in a cycle. */
function cutCycles(parents: Int32Array): void {
  const visitedFrom = new Int32Array(parents.length).fill(NONE);
  for (let start = 0; start < parents.length; start += 1) {
    let at = start;
    while (at !== NONE && visitedFrom[at] === NONE) {
      visitedFrom[at] = start;
      at = parents[at] ?? NONE;
    }
    if (at !== NONE && visitedFrom[at] === start) parents[firstOfCycle(parents, at)] = NONE;
  }
}

function firstOfCycle(parents: Int32Array, member: number): number {
  let first = member;
  for (let at = parents[member] ?? NONE; at !== member && at !== NONE; at = parents[at] ?? NONE) {
    if (at < first) first = at;
  }
  return first;
}

/** Roots are siblings of each other. */
function childrenOf(parents: Int32Array): { firstChild: Int32Array; nextSibling: Int32Array; firstRoot: number } {
  const firstChild = new Int32Array(parents.length).fill(NONE);
  const nextSibling = new Int32Array(parents.length).fill(NONE);
  let firstRoot = NONE;
  for (let index = parents.length - 1; index >= 0; index -= 1) {
    const parent = parents[index] ?? NONE;
    nextSibling[index] = parent === NONE ? firstRoot : (firstChild[parent] ?? NONE);
    if (parent === NONE) firstRoot = index;
    else firstChild[parent] = index;
  }
  return { firstChild, nextSibling, firstRoot };
}
