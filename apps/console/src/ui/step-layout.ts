import { Graph, layout } from '@dagrejs/dagre';

export interface GraphStep {
  readonly name: string;
  /** What it runs, in a word. */
  readonly detail: string;
  /** Null: it is not running; only its place is shown. */
  readonly status: string | null;
  /** Names of the steps for which it waits. Others than those of the graph are left out. */
  readonly before: readonly string[];
}

/** Where a step is drawn: its upper left corner, in pixels. */
export interface PlacedStep extends GraphStep {
  readonly x: number;
  readonly y: number;
}

export const STEP_SIZE = { width: 180, height: 56 } as const;

/** Places steps from the left to the right, each after those for which it waits. */
export function placeSteps(steps: readonly GraphStep[]): PlacedStep[] {
  const graph = new Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 24, ranksep: 56 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { name } of steps) graph.setNode(name, { ...STEP_SIZE });
  for (const [from, to] of arrowsOf(steps)) graph.setEdge(from, to);
  layout(graph);
  return steps.map((step) => {
    // The library places the middle.
    const { x = 0, y = 0 } = graph.node(step.name) as { readonly x?: number; readonly y?: number };
    return { ...step, x: x - STEP_SIZE.width / 2, y: y - STEP_SIZE.height / 2 };
  });
}

/** Returns the pairs of names of steps of which the second waits for the first. */
export function arrowsOf(steps: readonly GraphStep[]): [from: string, to: string][] {
  const names = new Set(steps.map(({ name }) => name));
  return steps.flatMap(({ name, before }) =>
    before.flatMap((one): [string, string][] => (names.has(one) ? [[one, name]] : [])),
  );
}
