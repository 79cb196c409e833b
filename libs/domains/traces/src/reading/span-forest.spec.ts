import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { forestOf, type ForestSpan } from './span-forest.js';

/** Spans whose parents are any span, also themselves, or missing. */
const traces = fc.integer({ min: 0, max: 40 }).chain((count) =>
  fc.array(fc.option(fc.integer({ min: 0, max: count + 1 })), { minLength: count, maxLength: count }).map((parents) =>
    parents.map((parent, index): ForestSpan => ({
      span_id: String(index),
      parent_span_id: parent === null ? null : String(parent),
    })),
  ),
);

/** Returns the parent of each span in the forest: the naive way, from the definition. */
function naiveParents(spans: readonly ForestSpan[]): Map<string, string | undefined> {
  const byId = new Map(spans.map((span) => [span.span_id, span]));
  const parentOf = ({ parent_span_id }: ForestSpan): ForestSpan | undefined =>
    parent_span_id === null ? undefined : byId.get(parent_span_id);
  const cycleOf = (span: ForestSpan): ForestSpan[] => {
    const cycle: ForestSpan[] = [span];
    for (let at = parentOf(span); at !== undefined && cycle.length <= spans.length; at = parentOf(at)) {
      if (at === span) return cycle;
      cycle.push(at);
    }
    return [];
  };
  return new Map(
    spans.map((span) => {
      const firstOfCycle = spans.find((each) => cycleOf(span).includes(each));
      return [span.span_id, firstOfCycle === span ? undefined : parentOf(span)?.span_id];
    }),
  );
}

describe('the forest of a trace', () => {
  it('contains every span once, below its parent, with siblings in their order', () => {
    fc.assert(
      fc.property(traces, (spans) => {
        const placed = forestOf(spans);
        expect(placed.map(({ index }) => index).sort((one, other) => one - other)).toEqual([...spans.keys()]);
        const path: string[] = [];
        const parents = new Map<string, string | undefined>();
        const lastChild = new Map<string | undefined, number>();
        for (const { index, depth } of placed) {
          const id = String(index);
          const parent = depth === 0 ? undefined : path[depth - 1];
          path.splice(depth, path.length, id);
          parents.set(id, parent);
          expect(lastChild.get(parent) ?? -1).toBeLessThan(index);
          lastChild.set(parent, index);
        }
        expect(parents).toEqual(naiveParents(spans));
      }),
    );
  });

  it('can have any depth', () => {
    const spans = Array.from({ length: 200_000 }, (_span, index) => ({
      span_id: String(index),
      parent_span_id: index === 0 ? null : String(index - 1),
    }));
    expect(forestOf(spans).at(-1)).toEqual({ index: 199_999, depth: 199_999 });
  });
});
