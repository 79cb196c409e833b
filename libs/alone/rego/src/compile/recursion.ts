import type { RuleNode, RuleTree } from '../evaluate/context.js';
import type { Expr, RefTerm, Term } from '../syntax/ast.js';
import { SyntaxFault } from '../syntax/fault.js';
import type { ResolvedRule } from './rules.js';
import { constantOf } from './constants.js';

interface Vertex {
  readonly targets: Set<Vertex>;
  /** Absent if the vertex represents several rules: all rules that a reference can reach below a node. */
  readonly rule?: { readonly name: string; readonly first: ResolvedRule };
}

/** Maximum number of reported cycles. A report names all rules of its cycle. */
const MAX_REPORTED_CYCLES = 20;

/**
 * Reports rules that depend on themselves. In the graph of dependencies, each node has one vertex for its rules without
 * variables in their references, and one for its rules with such variables.
 */
export function checkRecursion(
  rules: readonly { resolved: ResolvedRule; node: RuleNode }[],
  tree: RuleTree,
  faults: SyntaxFault[],
): void {
  const fixed = new Map<RuleNode, Vertex>();
  const dynamic = new Map<RuleNode, Vertex>();
  for (const { resolved, node } of rules) {
    const vertices = isDynamic(resolved) ? dynamic : fixed;
    if (!vertices.has(node)) {
      const rule = { name: `data.${resolved.prefix.join('.')}`, first: resolved };
      vertices.set(node, { targets: new Set(), rule });
    }
  }
  const reach = new Reach([fixed, dynamic]);
  for (const { resolved, node } of rules) {
    const vertex = (isDynamic(resolved) ? dynamic : fixed).get(node);
    if (vertex === undefined) continue;
    visitRuleRefs(resolved, (ref) => reach.add(tree.root, ref, 0, vertex.targets));
  }
  let reported = 0;
  for (const vertex of withinCycles([...fixed.values(), ...dynamic.values(), ...reach.groups])) {
    if (reported < MAX_REPORTED_CYCLES && report(vertex, faults)) reported++;
  }
}

/**
 * Finds the vertices that references can reach. If a reference can reach everything below a node, a single shared
 * vertex with edges to all of it is used: otherwise a module of n rules that can each read all others would have n²
 * edges.
 */
class Reach {
  private readonly wholes = new Map<RuleNode, Vertex>();
  private readonly children = new Map<RuleNode, Vertex>();

  constructor(private readonly rules: readonly ReadonlyMap<RuleNode, Vertex>[]) {}

  get groups(): readonly Vertex[] {
    return [...this.wholes.values(), ...this.children.values()];
  }

  add(node: RuleNode, ref: RefTerm, at: number, into: Set<Vertex>): void {
    const part = ref.path[at];
    if (part === undefined) {
      into.add(this.whole(node));
      return;
    }
    this.addOwn(node, into);
    const key = constantOf(part);
    if (key !== undefined) {
      const child = node.child(key);
      if (child !== undefined) this.add(child, ref, at + 1, into);
    } else if (at + 1 === ref.path.length) into.add(this.anyChild(node));
    else for (const child of node.children.values()) this.add(child, ref, at + 1, into);
  }

  private addOwn(node: RuleNode, into: Set<Vertex>): void {
    for (const vertices of this.rules) {
      const vertex = vertices.get(node);
      if (vertex !== undefined) into.add(vertex);
    }
  }

  /** Returns the vertex of a node together with everything below it that has a value. */
  private whole(node: RuleNode): Vertex {
    const known = this.wholes.get(node);
    if (known !== undefined) return known;
    const vertex: Vertex = { targets: new Set() };
    this.wholes.set(node, vertex);
    this.addOwn(node, vertex.targets);
    for (const child of node.children.values()) if (child.kind !== 'function') vertex.targets.add(this.whole(child));
    return vertex;
  }

  private anyChild(node: RuleNode): Vertex {
    const known = this.children.get(node) ?? { targets: new Set<Vertex>() };
    if (!this.children.has(node)) {
      this.children.set(node, known);
      for (const child of node.children.values()) known.targets.add(this.whole(child));
    }
    return known;
  }
}

function isDynamic(resolved: ResolvedRule): boolean {
  return (resolved.branches[0]?.rest.length ?? 0) > 0;
}

/**
 * Returns the vertices without those that no cycle reaches, or that reach no cycle. The remaining ones are on cycles or
 * between them.
 */
function withinCycles(vertices: readonly Vertex[]): readonly Vertex[] {
  const sources = new Map<Vertex, Vertex[]>(vertices.map((vertex) => [vertex, []]));
  for (const vertex of vertices) for (const target of vertex.targets) sources.get(target)?.push(vertex);
  const before = (vertex: Vertex): readonly Vertex[] => sources.get(vertex) ?? [];
  const leading = prune(vertices, ({ targets }) => targets, before);
  const isLeading = new Set(leading);
  const led = (vertex: Vertex): readonly Vertex[] => before(vertex).filter((source) => isLeading.has(source));
  return prune(leading, led, ({ targets }) => targets);
}

/**
 * Repeatedly removes the vertices that have no remaining vertex in the direction `next`. `previous` is the opposite
 * direction.
 */
function prune(
  vertices: readonly Vertex[],
  next: (vertex: Vertex) => Iterable<Vertex>,
  previous: (vertex: Vertex) => Iterable<Vertex>,
): readonly Vertex[] {
  const open = new Map(vertices.map((vertex) => [vertex, [...next(vertex)].length]));
  const ended = vertices.filter((vertex) => open.get(vertex) === 0);
  for (let vertex = ended.pop(); vertex !== undefined; vertex = ended.pop()) {
    open.delete(vertex);
    for (const before of previous(vertex)) {
      const left = (open.get(before) ?? 0) - 1;
      if (open.has(before)) open.set(before, left);
      if (left === 0) ended.push(before);
    }
  }
  return [...open.keys()];
}

/**
 * Reports a cycle through the vertex, if there is one. The search is breadth-first, so that a shortest cycle is
 * reported, and not recursive, because a chain of rules can be long.
 */
function report(start: Vertex, faults: SyntaxFault[]): boolean {
  const { rule } = start;
  if (rule === undefined) return false;
  const cameFrom = new Map<Vertex, Vertex>();
  const queue: Vertex[] = [start];
  for (let at = 0; at < queue.length; at++) {
    const vertex = queue[at] as Vertex;
    for (const target of vertex.targets) {
      if (target === start) {
        const names = [rule.name];
        for (let back: Vertex | undefined = vertex; back !== undefined; back = cameFrom.get(back))
          if (back.rule !== undefined) names.push(back.rule.name);
        const path = names.reverse().join(' -> ');
        faults.push(
          new SyntaxFault(`rule ${rule.name} is recursive: ${path}`, rule.first.rule.loc, 'rego_recursion_error'),
        );
        return true;
      }
      if (cameFrom.has(target)) continue;
      cameFrom.set(target, vertex);
      queue.push(target);
    }
  }
  return false;
}

function visitRuleRefs({ args, branches }: ResolvedRule, visit: (ref: RefTerm) => void): void {
  for (const arg of args ?? []) deepRefs(arg, visit);
  for (const { body, value, member, rest } of branches) {
    for (const expr of body) deepExprRefs(expr, visit);
    for (const term of [value, ...rest, ...(member === undefined ? [] : [member])]) deepRefs(term, visit);
  }
}

function deepExprRefs(expr: Expr, visit: (ref: RefTerm) => void): void {
  if (expr.kind === 'term') deepRefs(expr.term, visit);
  if (expr.kind === 'every') {
    deepRefs(expr.domain, visit);
    for (const inner of expr.body) deepExprRefs(inner, visit);
  }
  for (const modifier of expr.with) deepRefs(modifier.value, visit);
}

/** Visits the references to `data` in a term at any depth, including called functions. */
function deepRefs(term: Term, visit: (ref: RefTerm) => void): void {
  switch (term.kind) {
    case 'ref':
      if (term.head.kind === 'var' && term.head.name === 'data') visit(term);
      deepRefs(term.head, visit);
      for (const part of term.path) deepRefs(part, visit);
      break;
    case 'array':
    case 'set':
      for (const item of term.items) deepRefs(item, visit);
      break;
    case 'object':
      for (const entry of term.entries) for (const part of entry) deepRefs(part, visit);
      break;
    case 'call':
      if (term.ref?.kind === 'ref' && term.ref.head.kind === 'var' && term.ref.head.name === 'data') visit(term.ref);
      for (const arg of term.args) deepRefs(arg, visit);
      break;
    case 'template':
      for (const part of term.parts) if (typeof part !== 'string') deepExprRefs(part, visit);
      break;
    case 'arraycomp':
    case 'setcomp':
      deepRefs(term.term, visit);
      for (const expr of term.body) deepExprRefs(expr, visit);
      break;
    case 'objectcomp':
      deepRefs(term.key, visit);
      deepRefs(term.value, visit);
      for (const expr of term.body) deepExprRefs(expr, visit);
      break;
    default:
  }
}
