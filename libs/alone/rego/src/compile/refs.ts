import type { Collector, Context, Evaluate, Exec, Frame, RuleNode } from '../evaluate/context.js';
import {
  childPosition,
  Cursor,
  documentAt,
  positionKeys,
  positionValue,
  rootPosition,
  valueKeys,
} from '../evaluate/documents.js';
import type { Position } from '../evaluate/documents.js';
import { nodeValue } from '../evaluate/rules.js';
import type { RefTerm, Term } from '../syntax/ast.js';
import { isArray, lookup, RegoObject, RegoSet } from '../values/value.js';
import type { Value } from '../values/value.js';
import { compilePattern } from './patterns.js';
import { constantOf } from './constants.js';
import { compileTerm } from './terms.js';
import type { Found, MakeFound, Step, Unit } from './unit.js';
import { isRootHead } from './vars.js';

/** Compiles a reference whose operands are all bound. */
export function compileRef(unit: Unit, term: RefTerm, steps: Step[]): Evaluate {
  if (term.head.kind === 'var' && term.head.name === 'data') return compileDataRef(unit, term, steps);
  const start = compileStart(unit, term, steps);
  return navigate(
    start,
    term.path.map((part) => compileTerm(unit, part, steps)),
    term.path,
  );
}

function compileStart(unit: Unit, term: RefTerm, steps: Step[]): Evaluate {
  if (term.head.kind === 'var' && term.head.name === 'input') return (_, context) => context.input;
  return compileTerm(unit, term.head, steps);
}

function navigate(start: Evaluate, operands: readonly Evaluate[], path: readonly Term[]): Evaluate {
  if (path.length === 0) return start;
  const constants = path.map(constantOf);
  if (constants.every((key) => typeof key === 'string')) return navigateNames(start, constants);
  return (frame, context) => {
    let value = start(frame, context);
    for (let at = 0; at < operands.length && value !== undefined; at++) {
      const key = (operands[at] as Evaluate)(frame, context);
      value = key === undefined ? undefined : lookup(value, key);
    }
    return value;
  };
}

function navigateNames(start: Evaluate, names: readonly string[]): Evaluate {
  return (frame, context) => {
    let value = start(frame, context);
    for (let at = 0; at < names.length && value !== undefined; at++) {
      value = lookup(value, names[at] as string);
    }
    return value;
  };
}

interface StaticPart {
  /** Number of operands in the path to the node. */
  readonly depth: number;
  readonly node: RuleNode;
}

/** Returns the rule at a path of constant operands, if no rule above it contributes to the same path. */
function staticRule(unit: Unit, path: readonly Term[]): StaticPart | undefined {
  let node: RuleNode = unit.env.tree.root;
  for (const [at, part] of path.entries()) {
    if (node.dynamicKind !== undefined) return undefined;
    const key = constantOf(part);
    const child = key === undefined ? undefined : node.child(key);
    if (child === undefined) return undefined;
    node = child;
    if (node.kind === 'complete' || node.kind === 'set') return { depth: at + 1, node };
  }
  return undefined;
}

function compileDataRef(unit: Unit, term: RefTerm, steps: Step[]): Evaluate {
  const operands = term.path.map((part) => compileTerm(unit, part, steps));
  const generic: Evaluate = (frame, context) => {
    const keys: Value[] = [];
    for (const operand of operands) {
      const key = operand(frame, context);
      if (key === undefined) return undefined;
      keys.push(key);
    }
    return documentAt(context, keys);
  };
  const known = staticRule(unit, term.path);
  if (known === undefined) return generic;
  const { node, depth } = known;
  const rest = navigate((_, context) => nodeValue(context, node), operands.slice(depth), term.path.slice(depth));
  return (frame, context) => (context.overrides === undefined ? rest : generic)(frame, context);
}

type Walk<T> = (at: T, frame: Frame, context: Context) => boolean;
type Operand =
  | { readonly kind: 'get'; readonly key: Evaluate }
  | { readonly kind: 'each'; readonly slot: number }
  | { readonly kind: 'match'; readonly matches: (value: Value, frame: Frame, context: Context) => boolean };

/** Adds a step that tries every value of a reference with free variables. */
export function iterateRef(unit: Unit, term: RefTerm, steps: Step[], makeFound: MakeFound): void {
  const isData = term.head.kind === 'var' && term.head.name === 'data';
  const known = isData ? staticRule(unit, term.path) : undefined;
  const start = isData ? undefined : compileStart(unit, term, steps);
  const operands = term.path.map((part) => compileOperand(unit, part, steps));
  const found = makeFound();
  if (start !== undefined) {
    steps.push((next) => {
      const walk = walkValues(operands, found(next));
      return (frame, context) => {
        const value = start(frame, context);
        return value !== undefined && walk(value, frame, context);
      };
    });
    return;
  }
  steps.push((next) => {
    const done = found(next);
    const generic = walkPositions(operands, done);
    const fromRoot: Exec = (frame, context) => generic(rootPosition(context), frame, context);
    if (known === undefined) return fromRoot;
    const fast = walkValues(operands.slice(known.depth), done);
    return (frame, context) => {
      if (context.overrides !== undefined) return fromRoot(frame, context);
      const value = nodeValue(context, known.node);
      return value !== undefined && fast(value, frame, context);
    };
  });
}

function compileOperand(unit: Unit, part: Term, steps: Step[]): Operand {
  if (part.kind === 'var' && !unit.bound.has(part.name) && !isRootHead(part)) {
    unit.bound.add(part.name);
    return { kind: 'each', slot: unit.slot(part.name) };
  }
  if (unit.isBound(part) || part.kind === 'ref' || part.kind === 'call') {
    return { kind: 'get', key: compileTerm(unit, part, steps) };
  }
  return { kind: 'match', matches: compilePattern(unit, part, steps) };
}

function walkValues(operands: readonly Operand[], done: Found): Walk<Value> {
  let walk: Walk<Value> = done;
  for (let at = operands.length - 1; at >= 0; at--) walk = valueStep(operands[at] as Operand, walk);
  return walk;
}

function valueStep(operand: Operand, next: Walk<Value>): Walk<Value> {
  if (operand.kind === 'get') {
    const { key } = operand;
    return (value, frame, context) => {
      const k = key(frame, context);
      const member = k === undefined ? undefined : lookup(value, k);
      return member !== undefined && next(member, frame, context);
    };
  }
  const accept = acceptor(operand);
  return (value, frame, context) => {
    const { meter } = context.run;
    if (isArray(value)) {
      for (let index = 0; index < value.length; index++) {
        meter.step();
        if (accept(index, frame, context) && next(value[index] as Value, frame, context)) return true;
      }
    } else if (value instanceof RegoObject || value instanceof RegoSet) {
      for (const key of valueKeys(value)) {
        meter.step();
        if (accept(key, frame, context) && next(lookup(value, key) as Value, frame, context)) return true;
      }
    }
    return false;
  };
}

function acceptor(operand: Exclude<Operand, { kind: 'get' }>): (key: Value, frame: Frame, context: Context) => boolean {
  if (operand.kind === 'match') return operand.matches;
  const { slot } = operand;
  return (key, frame: (Value | Collector | undefined)[]) => {
    frame[slot] = key;
    return true;
  };
}

function walkPositions(operands: readonly Operand[], done: Found): Walk<Position> {
  let walk: Walk<Position> = (position, frame, context) => {
    const value = positionValue(context, position);
    return value !== undefined && done(value, frame, context);
  };
  let plain: Walk<Value> = done;
  for (let at = operands.length - 1; at >= 0; at--) {
    walk = positionStep(operands[at] as Operand, walk, valueStep(operands[at] as Operand, plain));
    plain = valueStep(operands[at] as Operand, plain);
  }
  return walk;
}

function positionStep(operand: Operand, next: Walk<Position>, plain: Walk<Value>): Walk<Position> {
  if (operand.kind === 'get') {
    const { key } = operand;
    return (position, frame, context) => {
      const k = key(frame, context);
      const child = k === undefined ? undefined : childPosition(context, position, k);
      return child !== undefined && next(child, frame, context);
    };
  }
  const accept = acceptor(operand);
  return (position, frame, context) => {
    if (!(position instanceof Cursor)) return plain(position, frame, context);
    for (const key of positionKeys(context, position)) {
      context.run.meter.step();
      if (!accept(key, frame, context)) continue;
      const child = childPosition(context, position, key);
      if (child !== undefined && next(child, frame, context)) return true;
    }
    return false;
  };
}
