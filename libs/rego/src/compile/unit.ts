import type { FaultCode } from '../errors.js';
import type { Builtin } from '../builtins/types.js';
import type { Context, Evaluate, Exec, Frame, FunctionNode, RuleTree } from '../evaluate/context.js';
import type { Annotation, CallTerm, Expr, Location, RefTerm, Term } from '../syntax/ast.js';
import { SyntaxFault } from '../syntax/fault.js';
import type { Value } from '../values/value.js';
import { unsafeMessage, type SafetyChecker } from './safety.js';
import { termVars } from './vars.js';

/** What the compilation of every rule shares. */
export interface Environment {
  readonly tree: RuleTree;
  readonly safety: SafetyChecker;
  readonly faults: SyntaxFault[];
  builtin(name: string): Builtin | undefined;
  /** Why a builtin cannot be called, where that is so. */
  refusal(name: string): string | undefined;
  functionAt(path: readonly Value[]): FunctionNode | undefined;
  readonly generate: CodeGenerator;
}

/** Goes on with a value found by iteration. */
export type Found = (value: Value, frame: Frame, context: Context) => boolean;
/** Made once the variables that the iteration binds are known. */
export type MakeFound = () => (next: Exec) => Found;

/** Parts of compilation that terms need and that need terms themselves. */
export interface CodeGenerator {
  call(unit: Unit, term: CallTerm, steps: Step[]): Evaluate;
  ref(unit: Unit, term: RefTerm, steps: Step[]): Evaluate;
  iterate(unit: Unit, term: RefTerm, steps: Step[], makeFound: MakeFound): void;
  relation(unit: Unit, term: CallTerm, steps: Step[], makeFound: MakeFound): void;
  body(unit: Unit, body: readonly Expr[], steps: Step[]): void;
}

/** One statement's part of a plan: wraps what follows it. */
export type Step = (next: Exec) => Exec;

/**
 * Bytes of the engine's stack that an activation, a level of terms and a step of a plan take: the most that was measured
 * for any construct (Node 20), rounded up.
 */
const STACK = { activation: 900, level: 300, step: 550 };

/** A rule or query under compilation: where each variable lives, and which are bound at this point of the plan. */
export class Unit {
  private readonly slots = new Map<string, number>();
  /** Slot 0 is the result. */
  private count = 1;
  bound = new Set<string>();
  private steps = 0;
  /** What has been told of variables and terms that are not known where they are needed. */
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

  /** Told once for each variable, however often it is read. */
  unsafeVariable(name: string, loc: Location): void {
    const message = unsafeMessage(name);
    if (this.unsafe.has(message)) return;
    this.unsafe.add(message);
    this.fault(message, loc, 'rego_unsafe_var_error');
  }

  /** Told only where no unsafe variable of the rule explains it. */
  unknownTerm(message: string, loc: Location): void {
    if (this.unsafe.size > 0) return;
    this.unsafe.add(message);
    this.fault(message, loc, 'rego_unsafe_var_error');
  }

  isBound(term: Term): boolean {
    for (const name of termVars(term, new Set())) if (!this.bound.has(name)) return false;
    return true;
  }

  /** Compiles in a scope of its own: what is bound inside is forgotten after. */
  scoped<T>(compile: () => T): T {
    const saved = this.bound;
    this.bound = new Set(saved);
    const result = compile();
    this.bound = saved;
    return result;
  }

  /** Makes the steps of a plan one. */
  plan(steps: readonly Step[], terminal: Exec): Exec {
    this.steps += steps.length;
    return steps.reduceRight<Exec>((next, step) => step(next), terminal);
  }

  /** The stack that a run takes, in bytes, apart from what it calls. Terms are up to `height` levels deep. */
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

/** Metadata of a rule and of what encloses it, innermost first. */
export interface RuleMetadata {
  readonly path: readonly Value[];
  readonly annotations: readonly Annotation[];
}

/** A step that goes on where `test` has a value other than false. */
export function testStep(test: Evaluate): Step {
  return (next) => (frame, context) => {
    const value = test(frame, context);
    return value !== undefined && value !== false && next(frame, context);
  };
}
