import { RegoEvaluationError } from '../errors.js';
import { equal } from '../values/compare.js';
import { keyOf, lookup, RegoObject, RegoSet } from '../values/value.js';
import type { Key, Value } from '../values/value.js';
import { Collector, recall, remember } from './context.js';
import type { CompiledRule, Context, Frame, FunctionNode, RuleIndex, RuleNode } from './context.js';

const COMPLETE_CONFLICT = 'complete rules must not produce multiple outputs';
const FUNCTION_CONFLICT = 'functions must not produce multiple outputs for same inputs';
const KEY_CONFLICT = 'object keys must be unique';

function conflict(message: string): RegoEvaluationError {
  return new RegoEvaluationError('eval_conflict_error', message);
}

export function keyConflict(): RegoEvaluationError {
  return conflict(KEY_CONFLICT);
}

/** Returns the value of a complete rule or a partial set, evaluated once per context. */
export function nodeValue(context: Context, node: RuleNode): Value | undefined {
  const cached = context.values[node.id];
  if (cached !== undefined) return recall(cached);
  context.run.meter.step();
  context.run.meter.enter(node.stack);
  const value = node.kind === 'set' ? setValue(context, node) : completeValue(context, node);
  context.run.meter.leave(node.stack);
  context.values[node.id] = remember(value);
  return value;
}

function candidates(
  context: Context,
  rules: readonly CompiledRule[],
  index: RuleIndex | undefined,
): readonly CompiledRule[] {
  if (index === undefined) return rules;
  let value = context.input;
  for (const key of index.path) {
    if (value === undefined) break;
    value = lookup(value, key);
  }
  if (value === undefined) return index.others;
  return index.byValue.get(keyOf(value)) ?? index.others;
}

/** Returns the value of a rule. The branch that applies stores it in slot 0. */
function ruleValue(rule: CompiledRule, context: Context): Value | undefined {
  for (const branch of rule.branches) {
    const frame: Frame = new Array<undefined>(branch.slots);
    branch.run(frame, context);
    if (frame[0] !== undefined) return frame[0] as Value;
  }
  return undefined;
}

function completeValue(context: Context, node: RuleNode): Value | undefined {
  let result: Value | undefined;
  for (const rule of candidates(context, node.rules, node.index)) {
    const value = ruleValue(rule, context);
    if (value === undefined) continue;
    if (node.constant) return value;
    if (result === undefined) result = value;
    else if (!equal(result, value)) throw conflict(COMPLETE_CONFLICT);
  }
  if (result !== undefined || node.fallback === undefined) return result;
  return node.fallback([], context);
}

/** The end of a branch: stores the value, and throws if another solution had a different value. */
export function deliver(frame: Frame, value: Value, isFunction: boolean): void {
  const known = frame[0] as Value | undefined;
  if (known === undefined) frame[0] = value;
  else if (!equal(known, value)) throw conflict(isFunction ? FUNCTION_CONFLICT : COMPLETE_CONFLICT);
}

function setValue(context: Context, node: RuleNode): Value {
  const collector = new Collector();
  for (const rule of candidates(context, node.rules, node.index)) collect(rule, context, collector);
  return new RegoSet(collector.map);
}

function collect(rule: CompiledRule, context: Context, collector: Collector): void {
  for (const branch of rule.branches) {
    const frame: Frame = new Array<undefined>(branch.slots);
    frame[0] = collector;
    branch.run(frame, context);
  }
}

export function callFunction(context: Context, target: FunctionNode, args: readonly Value[]): Value | undefined {
  const { meter } = context.run;
  meter.step();
  const key = memoKey(target, args);
  if (key !== undefined) {
    const cached = context.calls?.get(key);
    if (cached !== undefined) return recall(cached);
  }
  meter.enter(target.node.stack);
  const value = functionValue(context, target, args);
  meter.leave(target.node.stack);
  if (key !== undefined) {
    context.calls ??= new Map();
    meter.allocate(64 + key.length);
    context.calls.set(key, remember(value));
  }
  return value;
}

/**
 * Returns the key under which the result of a call with plain arguments is cached, so that chains of functions do not
 * repeat work.
 */
function memoKey(target: FunctionNode, args: readonly Value[]): string | undefined {
  let key = String(target.node.id);
  for (const arg of args) {
    if (typeof arg === 'string') {
      if (arg.length > 256) return undefined;
      key += `s${arg.length}:${arg}`;
    } else if (arg === null || typeof arg !== 'object') key += `,${String(arg)}`;
    else return undefined;
  }
  return key;
}

function functionValue(context: Context, target: FunctionNode, args: readonly Value[]): Value | undefined {
  let result: Value | undefined;
  for (const rule of target.rules) {
    const value = applyFunction(rule, context, args);
    if (value === undefined) continue;
    if (result === undefined) result = value;
    else if (!equal(result, value)) throw conflict(FUNCTION_CONFLICT);
  }
  if (result !== undefined || target.fallback === undefined) return result;
  return target.fallback([], context);
}

function applyFunction(rule: CompiledRule, context: Context, args: readonly Value[]): Value | undefined {
  branches: for (const branch of rule.branches) {
    const frame: Frame = new Array<undefined>(branch.slots);
    for (let at = 0; at < args.length; at++) {
      const matcher = rule.args[at];
      if (matcher !== undefined && !matcher(args[at] as Value, frame, context)) continue branches;
    }
    branch.run(frame, context);
    if (frame[0] !== undefined) return frame[0] as Value;
  }
  return undefined;
}

/**
 * Contributions of rules with variables in their references: a tree whose leaves are values, or sets to which members
 * are still added.
 */
export class Growth {
  readonly entries = new Map<Key, { readonly key: Value; item: Grown }>();
  /** Whether rules contradict each other somewhere below. This is an error for readers of that part or of the whole. */
  conflicted = false;
}
class GrowingSet {
  readonly members = new Map<Key, Value>();
}
const CONFLICT = Symbol('conflict');
export type Grown = Growth | GrowingSet | Value | typeof CONFLICT;

export function dynamicGrowth(context: Context, node: RuleNode): Growth {
  const cached = context.branches[node.id];
  if (cached instanceof Growth) return cached;
  context.run.meter.step();
  context.run.meter.enter(node.stack);
  const growth = new Growth();
  const collector = new DynamicCollector(growth);
  for (const rule of node.dynamic) collect(rule, context, collector);
  context.run.meter.leave(node.stack);
  context.branches[node.id] = growth;
  return growth;
}

export class DynamicCollector extends Collector {
  constructor(private readonly growth: Growth) {
    super();
  }

  /** Adds the value of a rule at `path`, or a member to the set at `path`. */
  insert(path: readonly Value[], value: Value, member: boolean): void {
    const above = [this.growth];
    for (const [at, key] of path.entries()) {
      const growth = above[at] as Growth;
      const id = keyOf(key);
      const known = growth.entries.get(id);
      const isLeaf = at === path.length - 1;
      const item = isLeaf ? leaf(known?.item, value, member) : inner(known?.item);
      if (known === undefined) growth.entries.set(id, { key, item });
      else known.item = item;
      if (item === CONFLICT) {
        for (const conflicted of above) conflicted.conflicted = true;
        return;
      }
      if (item instanceof Growth) above.push(item);
    }
  }
}

function inner(known: Grown | undefined): Grown {
  if (known === undefined) return new Growth();
  return known instanceof Growth ? known : CONFLICT;
}

function leaf(known: Grown | undefined, value: Value, member: boolean): Grown {
  if (member) {
    const set = known ?? new GrowingSet();
    if (!(set instanceof GrowingSet)) return CONFLICT;
    set.members.set(keyOf(value), value);
    return set;
  }
  return known === undefined || isPlainEqual(known, value) ? value : CONFLICT;
}

function isPlainEqual(known: Grown, value: Value): boolean {
  return known !== CONFLICT && !(known instanceof Growth) && !(known instanceof GrowingSet) && equal(known, value);
}

/** Returns the value of a leaf or a tree. Throws if rules contradict each other. */
export function grownValue(grown: Grown): Value {
  if (grown === CONFLICT) throw keyConflict();
  if (grown instanceof GrowingSet) return new RegoSet(new Map(grown.members));
  if (!(grown instanceof Growth)) return grown;
  return new RegoObject([...grownEntries(grown)].map(({ key, item }) => [key, grownValue(item)] as const));
}

/** Returns all contributions below a node. Throws if rules contradict each other. */
export function grownEntries(growth: Growth): Iterable<{ readonly key: Value; readonly item: Grown }> {
  if (growth.conflicted) throw keyConflict();
  return growth.entries.values();
}
