import type { Fault } from '@app/kernel';
import { unknownNamesIn, usesOf } from './step-uses.js';
import type { UncheckedStep } from './workflow-step.js';

/**
 * Returns the faults of the graph that the steps form: duplicate names, uses of steps that do not exist, unknown names
 * in templates, and dependencies in a cycle. A step depends on every step that it uses. Values of a wrong type are
 * ignored. Takes linear time, and is not recursive.
 */
export function graphFaults(steps: readonly UncheckedStep[]): Fault[] {
  const indices = new Map<string, number>();
  const taken = steps.flatMap(({ name }, index) => {
    if (typeof name !== 'string') return [];
    if (indices.has(name)) return [at(index, ['name'], `Another step has the name ${name}`)];
    indices.set(name, index);
    return [];
  });
  const unknown: Fault[] = [];
  const edges = steps.map((step, index) => {
    const own: Edge[] = [];
    for (const { name, path } of usesOf(step)) {
      const target = indices.get(name);
      if (target === undefined) unknown.push(at(index, path, `There is no step with the name ${name}`));
      else own.push({ target, path });
    }
    for (const { name, path } of unknownNamesIn(step)) unknown.push(at(index, path, unknownNameMessage(name)));
    return own;
  });
  return [...taken, ...unknown, ...cyclesIn(edges).map((cycle) => cycleFault(cycle, edges, steps))];
}

interface Edge {
  readonly target: number;
  readonly path: readonly string[];
}

function unknownNameMessage(name: string): string {
  return `Unknown template name ${name}: it should be params.<name> or steps.<step>.output`;
}

/** Returns disjoint cycles. A graph without the steps of these cycles has no cycle. */
function cyclesIn(edges: readonly (readonly Edge[])[]): number[][] {
  const remaining = new RemainingSteps(edges);
  const cycles: number[][] = [];
  for (let start = remaining.first(); start !== undefined; start = remaining.first()) {
    const cycle = cycleFrom(start, remaining);
    remaining.remove(cycle);
    cycles.push(cycle);
  }
  return cycles;
}

/** Follows dependencies until a step occurs twice, and returns the cycle. Every remaining step has a dependency. */
function cycleFrom(start: number, remaining: RemainingSteps): number[] {
  const path: number[] = [];
  const positions = new Map<number, number>();
  let step = start;
  while (!positions.has(step)) {
    positions.set(step, path.length);
    path.push(step);
    step = remaining.dependencyOf(step);
  }
  return path.slice(positions.get(step));
}

/**
 * The steps that are in a cycle or depend on one. All others are removed one after the other, because they have no
 * remaining dependencies.
 */
class RemainingSteps {
  private readonly steps: Set<number>;
  private readonly dependencies: readonly (readonly number[])[];
  private readonly dependants: readonly number[][];
  /** The number of remaining dependencies of each step. */
  private readonly open: number[];
  /**
   * The position of the first remaining dependency of each step. It only increases, because removed steps do not come
   * back.
   */
  private readonly next: number[];

  constructor(edges: readonly (readonly Edge[])[]) {
    this.steps = new Set(edges.keys());
    this.dependencies = edges.map((own) => [...new Set(own.map(({ target }) => target))]);
    this.dependants = edges.map(() => []);
    for (const [index, targets] of this.dependencies.entries())
      for (const target of targets) this.dependants[target]?.push(index);
    this.open = this.dependencies.map(({ length }) => length);
    this.next = edges.map(() => 0);
    this.remove([...this.steps].filter((step) => this.open[step] === 0));
  }

  first(): number | undefined {
    return this.steps.values().next().value;
  }

  dependencyOf(step: number): number {
    const dependencies = this.dependencies[step] ?? [];
    let position = this.next[step] ?? 0;
    while (position < dependencies.length && !this.steps.has(dependencies[position] ?? -1)) position += 1;
    this.next[step] = position;
    return dependencies[position] ?? step;
  }

  /** Removes the steps, and all steps that then depend on no remaining step. */
  remove(steps: readonly number[]): void {
    const pending = [...steps];
    for (let step = pending.pop(); step !== undefined; step = pending.pop()) {
      if (!this.steps.delete(step)) continue;
      for (const dependant of this.dependants[step] ?? []) {
        const left = (this.open[dependant] ?? 0) - 1;
        this.open[dependant] = left;
        if (left === 0) pending.push(dependant);
      }
    }
  }
}

/** Maximum number of steps that the fault of a cycle names. */
const NAMED = 10;

/** Returns the fault of the first step of the cycle, located at its use of the next step. */
function cycleFault(
  cycle: readonly number[],
  edges: readonly (readonly Edge[])[],
  steps: readonly UncheckedStep[],
): Fault {
  const first = cycle.indexOf(Math.min(...cycle));
  const ordered = [...cycle.slice(first), ...cycle.slice(0, first)];
  const [start = 0, next = start] = ordered;
  const edge = edges[start]?.find(({ target }) => target === next);
  const names = ordered.slice(0, NAMED).map((index) => String(steps[index]?.name));
  const shown = ordered.length > NAMED ? [...names, '…'] : [...names, String(steps[start]?.name)];
  return at(start, edge?.path ?? [], `Steps depend on each other in a cycle: ${shown.join(' → ')}`);
}

function at(index: number, path: readonly string[], msg: string): Fault {
  return { path: ['steps', String(index), ...path], msg, type: 'value_error' };
}
