import { Collector } from '../evaluate/context.js';
import type { Branch, CompiledRule, Evaluate, Exec, Guard, Matcher, RuleNode } from '../evaluate/context.js';
import { deliver, DynamicCollector } from '../evaluate/rules.js';
import type { Expr, Location, Module, Rule, Term } from '../syntax/ast.js';
import type { SyntaxFault } from '../syntax/fault.js';
import { call } from '../syntax/terms.js';
import { entryBytes, keyOf } from '../values/value.js';
import type { Value } from '../values/value.js';
import { compileBody } from './bodies.js';
import { heightOf } from './height.js';
import { hoistIterations } from './hoist.js';
import { guardOf } from './guards.js';
import { compilePattern } from './patterns.js';
import { Resolver } from './resolve.js';
import type { Globals } from './resolve.js';
import { constantOf } from './constants.js';
import { compileTerm } from './terms.js';
import { Unit } from './unit.js';
import type { Environment, RuleMetadata, Step } from './unit.js';

interface ResolvedBranch {
  readonly body: readonly Expr[];
  readonly value: Term;
  readonly member: Term | undefined;
  /** Operands of the reference in the head, from its first variable on. */
  readonly rest: readonly Term[];
}

/** A rule with resolved names. */
export interface ResolvedRule {
  readonly rule: Rule;
  readonly module: Module;
  /** Constant part of the rule's reference, below `data`. */
  readonly prefix: readonly Value[];
  readonly args: readonly Term[] | undefined;
  readonly branches: readonly ResolvedBranch[];
}

const TRUE = (loc: Location): Term => ({ kind: 'value', value: true, loc });

export function resolveRule(
  rule: Rule,
  module: Module,
  globals: Globals,
  faults: SyntaxFault[],
  isBuiltin: (name: string) => boolean,
): ResolvedRule {
  const resolver = new Resolver(globals, faults, isBuiltin);
  if (rule.args !== undefined) resolver.declareArguments(rule.args);
  const extra: Expr[] = [];
  const args = rule.args?.map((arg) => argumentPattern(resolver, resolver.term(arg), extra));
  const constants = leadingConstants(rule.path);
  const branch = (body: readonly Expr[] | undefined, value: Term | undefined): ResolvedBranch => {
    const { body: resolved, result } = resolver.body(body ?? [], () => ({
      value: resolver.term(value ?? TRUE(rule.loc)),
      member: rule.member === undefined ? undefined : resolver.term(rule.member),
      rest: rule.path.slice(constants.length).map((part) => resolver.term(part)),
    }));
    return { body: [...resolved, ...extra], ...result };
  };
  const branches = [branch(rule.body, rule.value), ...rule.elses.map((other) => branch(other.body, other.value))];
  return { rule, module, prefix: [...module.package, rule.name.name, ...constants], args, branches };
}

function leadingConstants(path: readonly Term[]): Value[] {
  const constants: Value[] = [];
  for (const part of path) {
    const value = constantOf(part);
    if (value === undefined) break;
    constants.push(value);
  }
  return constants;
}

/**
 * Returns the pattern of an argument. Parts that must be evaluated become variables, with which the body unifies them.
 */
function argumentPattern(resolver: Resolver, arg: Term, extra: Expr[]): Term {
  switch (arg.kind) {
    case 'value':
    case 'var':
    case 'set':
      return arg;
    case 'array':
      return { ...arg, items: arg.items.map((item) => argumentPattern(resolver, item, extra)) };
    case 'object':
      return {
        ...arg,
        entries: arg.entries.map(([key, value]) => [key, argumentPattern(resolver, value, extra)] as const),
      };
    default: {
      const variable: Term = { kind: 'var', name: resolver.fresh('$arg'), loc: arg.loc };
      extra.push({ kind: 'term', term: call('eq', [variable, arg], arg.loc), negated: false, with: [], loc: arg.loc });
      return variable;
    }
  }
}

/** Compiles a rule and adds it to its node. */
export function compileRule(
  resolved: ResolvedRule,
  node: RuleNode,
  env: Environment,
  chain: readonly RuleMetadata[],
): void {
  const { rule } = resolved;
  if (rule.isDefault) {
    compileDefault(resolved, node, env, chain);
    return;
  }
  const unit = new Unit(env, chain);
  const before: Step[] = [];
  const args = resolved.args?.map((arg): Matcher => compilePattern(unit, arg, before)) ?? [];
  const guards: (Guard | undefined)[] = [];
  const runs = resolved.branches.map((branch) =>
    unit.scoped(() => {
      const steps: Step[] = [];
      const body = unit.order(branch.body);
      guards.push(guardOf(body));
      compileBody(unit, body, steps);
      const terminal = compileTerminal(unit, resolved, branch, steps);
      return unit.plan(steps, terminal);
    }),
  );
  const stack = unit.stack(heightOf(resolved.branches.flatMap(partsOf).concat(resolved.args ?? [])));
  const branches: Branch[] = runs.map((run) => ({ slots: unit.size, run }));
  const guard = resolved.branches.length === 1 ? guards[0] : undefined;
  const compiled: CompiledRule = { branches, args, guard, loc: rule.loc, annotations: rule.annotations };
  node.stack = Math.max(node.stack, stack);
  if (node.function !== undefined) node.function.rules.push(compiled);
  else if ((resolved.branches[0]?.rest.length ?? 0) > 0) node.dynamic.push(compiled);
  else node.rules.push(compiled);
}

function partsOf({ body, value, member, rest }: ResolvedBranch): readonly (Term | Expr | undefined)[] {
  return [...body, value, member, ...rest];
}

function compileDefault(
  resolved: ResolvedRule,
  node: RuleNode,
  env: Environment,
  chain: readonly RuleMetadata[],
): void {
  const unit = new Unit(env, chain);
  const steps: Step[] = [];
  for (const arg of resolved.args ?? []) compilePattern(unit, arg, steps);
  const value = resolved.branches[0]?.value ?? TRUE(resolved.rule.loc);
  const evaluate = compileTerm(unit, value, steps);
  node.stack = Math.max(node.stack, unit.stack(heightOf([value, ...(resolved.args ?? [])])));
  const fallback: Evaluate = (_, context) => evaluate(new Array<undefined>(unit.size), context);
  if (node.function !== undefined) node.function.fallback = fallback;
  else node.fallback = fallback;
}

function compileTerminal(unit: Unit, resolved: ResolvedRule, branch: ResolvedBranch, steps: Step[]): Exec {
  if (branch.rest.length > 0) return dynamicTerminal(unit, branch, steps);
  if (branch.member !== undefined) return memberTerminal(compileTerm(unit, branch.member, steps));
  const constant = constantOf(branch.value);
  const isFunction = resolved.args !== undefined;
  if (constant !== undefined) {
    return (frame) => {
      frame[0] = constant;
      return true;
    };
  }
  const value = compileTerm(unit, branch.value, steps);
  return (frame, context) => {
    const result = value(frame, context);
    if (result !== undefined) deliver(frame, result, isFunction);
    return false;
  };
}

function memberTerminal(member: Evaluate): Exec {
  return (frame, context) => {
    const value = member(frame, context);
    if (value === undefined) return false;
    const id = keyOf(value);
    context.run.meter.allocate(entryBytes(id, value));
    (frame[0] as Collector).map.set(id, value);
    return false;
  };
}

function dynamicTerminal(unit: Unit, branch: ResolvedBranch, steps: Step[]): Exec {
  const isMember = branch.member !== undefined;
  const head = [...branch.rest, branch.member ?? branch.value].map((part) => hoistIterations(unit, part, steps));
  const path = head.slice(0, -1).map((part) => compileTerm(unit, part, steps));
  const result = compileTerm(unit, head[path.length] as Term, steps);
  return (frame, context) => {
    const keys: Value[] = [];
    for (const part of path) {
      const key = part(frame, context);
      if (key === undefined) return false;
      keys.push(key);
    }
    const value = result(frame, context);
    if (value === undefined) return false;
    context.run.meter.allocate(128);
    const collector = frame[0];
    if (collector instanceof DynamicCollector) collector.insert(keys, value, isMember);
    return false;
  };
}
