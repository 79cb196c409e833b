import type { FaultCode } from '../errors.js';
import type { Builtin } from '../builtins/types.js';
import type { Context, Evaluate, Exec, Frame, FunctionNode, RuleTree } from '../evaluate/context.js';
import type { Annotation, CallTerm, Expr, Location, RefTerm, Term } from '../syntax/ast.js';
import { SyntaxFault } from '../syntax/fault.js';
import type { Value } from '../values/value.js';
import { unsafeMessage, type SafetyChecker } from './safety.js';
import { termVars } from './vars.js';

/** The state that the compilations of all rules share. */
export interface Environment {
  readonly tree: RuleTree;
  readonly safety: SafetyChecker;
  readonly faults: SyntaxFault[];
  builtin(name: string): Builtin | undefined;
  /** Returns why a builtin cannot be called; undefined if it can. */
  refusal(name: string): string | undefined;
  functionAt(path: readonly Value[]): FunctionNode | undefined;
  readonly generate: CodeGenerator;
}

/** Continues with a value that was found by iteration. */
export type Found = (value: Value, frame: Frame, context: Context) => boolean;
/** Called once the variables that the iteration binds are known. */
export type MakeFound = () => (next: Exec) => Found;

/** Parts of the compiler that depend on the compilation of terms and vice versa. */
export interface CodeGenerator {
  call(unit: Unit, term: CallTerm, steps: Step[]): Evaluate;
  ref(unit: Unit, term: RefTerm, steps: Step[]): Evaluate;
  iterate(unit: Unit, term: RefTerm, steps: Step[], makeFound: MakeFound): void;
  relation(unit: Unit, term: CallTerm, steps: Step[], makeFound: MakeFound): void;
  body(unit: Unit, body: readonly Expr[], steps: Step[]): void;
}

/** The part of a plan that runs one statement. It wraps the parts that follow. */
export type Step = (next: Exec) => Exec;

/**
 * Bytes of the engine's stack that an activation, a level of terms and a step of a plan need: the maximum measured for
 * any construct (Node.js 20), rounded up.
 */
const STACK = { activation: 900, level: 300, step: 550 };

/**
 * A rule or query that is being compiled, with the slots of its variables and the variables that are bound at the
 * current point of the plan.
 */
export class Unit {
  private readonly slots = new Map<string, number>();
  /** Slot 0 is the result. */
  private count = 1;
  bound = new Set<string>();
  private steps = 0;
  /** Messages about unknown variables and terms that were already reported. */
  private readonly unsafe = new Set<string>();

  constructor(
    readonly env: Environment,
    readonly chain: readonly RuleMetadata[] = [],
  ) {}

  slot(name: string): number {
    let slot = this.slots.get(name);
    if (slot === undefined) {
      slot = this.count++;
      this.slots.set(name, slot);
    }
    return slot;
  }

  temporary(): number {
    return this.count++;
  }

  get size(): number {
    return this.count;
  }

  fault(message: string, loc: Location, code: FaultCode): void {
    this.env.faults.push(new SyntaxFault(message, loc, code));
  }

  /** Reports an unsafe variable, once even if it is read several times. */
  unsafeVariable(name: string, loc: Location): void {
    const message = unsafeMessage(name);
    if (this.unsafe.has(message)) return;
    this.unsafe.add(message);
    this.fault(message, loc, 'rego_unsafe_var_error');
  }

  /** Reports an unknown term, unless an unsafe variable of the rule explains it. */
  unknownTerm(message: string, loc: Location): void {
    if (this.unsafe.size > 0) return;
    this.unsafe.add(message);
    this.fault(message, loc, 'rego_unsafe_var_error');
  }

  isBound(term: Term): boolean {
    for (const name of termVars(term, new Set())) if (!this.bound.has(name)) return false;
    return true;
  }

  /** Compiles in a new scope. Variables that are bound inside are unbound afterwards. */
  scoped<T>(compile: () => T): T {
    const saved = this.bound;
    this.bound = new Set(saved);
    const result = compile();
    this.bound = saved;
    return result;
  }

  /** Combines the steps of a plan. */
  plan(steps: readonly Step[], terminal: Exec): Exec {
    this.steps += steps.length;
    return steps.reduceRight<Exec>((next, step) => step(next), terminal);
  }

  /**
   * Returns the stack that a run needs, in bytes, without that of the rules and functions it calls. Terms are up to
   * `height` levels deep.
   */
  stack(height: number): number {
    return STACK.activation + STACK.level * height + STACK.step * this.steps;
  }

  order(body: readonly Expr[]): readonly Expr[] {
    const { faults, safety } = this.env;
    const before = faults.length;
    const ordered = safety.order(body, this.bound);
    for (const { message } of faults.slice(before)) this.unsafe.add(message);
    return ordered;
  }
}

/** Metadata of a rule and of its enclosing scopes, innermost first. */
export interface RuleMetadata {
  readonly path: readonly Value[];
  readonly annotations: readonly Annotation[];
}

/** Returns a step that continues if `test` has a value other than false. */
export function testStep(test: Evaluate): Step {
  return (next) => (frame, context) => {
    const value = test(frame, context);
    return value !== undefined && value !== false && next(frame, context);
  };
}
