import { RegoEvaluationError } from '../errors.js';
import { Collector } from '../evaluate/context.js';
import type { Evaluate, Exec } from '../evaluate/context.js';
import type { ArrayTerm, Comprehension, ObjectTerm, SetTerm, TemplateTerm, Term } from '../syntax/ast.js';
import { equal } from '../values/compare.js';
import { valueText } from '../values/text.js';
import { entryBytes, keyOf, RegoObject, RegoSet } from '../values/value.js';
import type { Key, Value } from '../values/value.js';
import { constantOf, isGenerator } from './constants.js';
import { hoistIterations } from './hoist.js';
import type { Step, Unit } from './unit.js';
import { call } from '../syntax/terms.js';

/** Compiles a term to one value; parts that iterate become steps before it. */
export function compileTerm(unit: Unit, term: Term, steps: Step[]): Evaluate {
  const constant = constantOf(term);
  if (constant !== undefined) return () => constant;
  if (isGenerator(unit, term)) return generated(unit, term, steps);
  return compileKind(unit, hoistIterations(unit, term, steps), steps);
}

function compileKind(unit: Unit, term: Term, steps: Step[]): Evaluate {
  switch (term.kind) {
    case 'var':
      return readVariable(unit, term);
    case 'ref':
      return unit.env.generate.ref(unit, term, steps);
    case 'array':
      return compileArray(unit, term, steps);
    case 'set':
      return compileSet(unit, term, steps);
    case 'object':
      return compileObject(unit, term, steps);
    case 'call':
      return unit.env.generate.call(unit, term, steps);
    case 'template':
      return compileTemplate(unit, term);
    case 'value':
      return () => term.value;
    default:
      return compileComprehension(unit, term);
  }
}

function readVariable(unit: Unit, term: Extract<Term, { kind: 'var' }>): Evaluate {
  if (!unit.bound.has(term.name)) unit.unsafeVariable(term.name, term.loc);
  const slot = unit.slot(term.name);
  return (frame) => frame[slot] as Value | undefined;
}

function generated(unit: Unit, term: Term, steps: Step[]): Evaluate {
  const slot = unit.temporary();
  const store =
    (next: Exec) => (value: Value, frame: (Value | Collector | undefined)[], context: Parameters<Exec>[1]) => {
      frame[slot] = value;
      return next(frame, context);
    };
  if (term.kind === 'ref') unit.env.generate.iterate(unit, term, steps, () => store);
  else if (term.kind === 'call') unit.env.generate.relation(unit, term, steps, () => store);
  return (frame) => frame[slot] as Value | undefined;
}

function compileArray(unit: Unit, term: ArrayTerm, steps: Step[]): Evaluate {
  const items = term.items.map((item) => compileTerm(unit, item, steps));
  const bytes = 16 + items.length * 8;
  return (frame, context) => {
    const values: Value[] = new Array<Value>(items.length);
    for (let at = 0; at < items.length; at++) {
      const value = (items[at] as Evaluate)(frame, context);
      if (value === undefined) return undefined;
      values[at] = value;
    }
    context.run.meter.allocate(bytes);
    return values;
  };
}

function compileSet(unit: Unit, term: SetTerm, steps: Step[]): Evaluate {
  const items = term.items.map((item) => compileTerm(unit, item, steps));
  return (frame, context) => {
    const values: Value[] = [];
    for (const item of items) {
      const value = item(frame, context);
      if (value === undefined) return undefined;
      values.push(value);
    }
    context.run.meter.allocate(64 + values.length * 48);
    return new RegoSet(values);
  };
}

function compileObject(unit: Unit, term: ObjectTerm, steps: Step[]): Evaluate {
  const entries = term.entries.map(
    ([key, value]) => [compileTerm(unit, key, steps), compileTerm(unit, value, steps)] as const,
  );
  return (frame, context) => {
    const pairs: [Value, Value][] = [];
    for (const [key, value] of entries) {
      const k = key(frame, context);
      if (k === undefined) return undefined;
      const v = value(frame, context);
      if (v === undefined) return undefined;
      pairs.push([k, v]);
    }
    context.run.meter.allocate(64 + pairs.length * 64);
    return new RegoObject(pairs);
  };
}

/** Compiles a template string. A part without a value becomes `<undefined>`; a part with several values is an error. */
function compileTemplate(unit: Unit, term: TemplateTerm): Evaluate {
  const parts = term.parts.map((part) => {
    if (typeof part === 'string' || part.kind !== 'term') return typeof part === 'string' ? part : '';
    const slot = unit.temporary();
    const run = unit.scoped(() => {
      const steps: Step[] = [];
      const name = `#template${slot}`;
      const result: Term = { kind: 'var', name, loc: part.loc };
      unit.env.generate.body(unit, [{ ...part, term: call('eq', [result, part.term], part.loc) }], steps);
      return unit.plan(steps, templateTerminal(unit.slot(name), slot));
    });
    return { slot, run };
  });
  return (frame, context) => {
    let text = '';
    for (const part of parts) {
      if (typeof part === 'string') {
        text += part;
        continue;
      }
      frame[part.slot] = undefined;
      part.run(frame, context);
      const value = frame[part.slot] as Value | undefined;
      text += value === undefined ? '<undefined>' : typeof value === 'string' ? value : valueText(value);
    }
    context.run.meter.allocate(text.length * 2);
    return text;
  };
}

function templateTerminal(from: number, to: number): Exec {
  return (frame) => {
    const value = frame[from] as Value;
    const known = frame[to] as Value | undefined;
    if (known !== undefined && !equal(known, value)) {
      throw new RegoEvaluationError('eval_conflict_error', 'template expressions must not produce multiple outputs');
    }
    frame[to] = value;
    return false;
  };
}

function compileComprehension(unit: Unit, term: Comprehension): Evaluate {
  const slot = unit.temporary();
  const run = unit.scoped(() => {
    const steps: Step[] = [];
    unit.env.generate.body(unit, unit.order(term.body), steps);
    return unit.plan(steps, collectTerminal(unit, term, slot, steps));
  });
  return (frame, context) => {
    const saved = frame[slot];
    const collector = new Collector();
    frame[slot] = collector;
    run(frame, context);
    frame[slot] = saved;
    switch (term.kind) {
      case 'arraycomp':
        return collector.list;
      case 'setcomp':
        return new RegoSet(collector.map);
      default:
        return new RegoObject(
          [...collector.map].map(([id, value]) => [collector.keys.get(id) as Value, value] as const),
        );
    }
  };
}

function collectTerminal(unit: Unit, term: Comprehension, slot: number, steps: Step[]): Exec {
  if (term.kind === 'objectcomp') {
    const [keyTerm, valueTerm] = [term.key, term.value].map((part) => hoistIterations(unit, part, steps));
    const key = compileTerm(unit, keyTerm as Term, steps);
    const value = compileTerm(unit, valueTerm as Term, steps);
    return (frame, context) => {
      const k = key(frame, context);
      const v = k === undefined ? undefined : value(frame, context);
      if (k === undefined || v === undefined) return false;
      const id = keyOf(k);
      context.run.meter.allocate(32 + entryBytes(id, k));
      addMember(frame[slot] as Collector, id, k, v);
      return false;
    };
  }
  const item = compileTerm(unit, term.term, steps);
  const isArray = term.kind === 'arraycomp';
  return (frame, context) => {
    const value = item(frame, context);
    if (value === undefined) return false;
    const collector = frame[slot] as Collector;
    if (isArray) {
      context.run.meter.allocate(16);
      collector.list.push(value);
      return false;
    }
    const id = keyOf(value);
    context.run.meter.allocate(entryBytes(id, value));
    collector.map.set(id, value);
    return false;
  };
}

function addMember(collector: Collector, id: Key, key: Value, value: Value): void {
  const known = collector.map.get(id);
  if (known !== undefined && !equal(known, value)) {
    throw new RegoEvaluationError('eval_conflict_error', 'object keys must be unique');
  }
  collector.map.set(id, value);
  collector.keys.set(id, key);
}
