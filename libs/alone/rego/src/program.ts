import { DEFAULT_BUDGET, Meter } from './budget.js';
import type { Budget } from './budget.js';
import type { Builtin } from './builtins/types.js';
import { compileModules } from './compile/program.js';
import type { CompiledProgram } from './compile/program.js';
import { compileQuery, RESULT, valueQuery } from './compile/query.js';
import type { Bindings, CompiledQuery } from './compile/query.js';
import { RegoBudgetError, RegoCompileError, RegoEvaluationError, RegoInputError } from './errors.js';
import type { Fault } from './errors.js';
import { Context } from './evaluate/context.js';
import type { Run } from './evaluate/run.js';
import type { Frame } from './evaluate/context.js';
import type { Module } from './syntax/ast.js';
import { parseModule, parseQuery } from './syntax/parser.js';
import { fromPlain, toPlain } from './values/convert.js';
import type { Json, ToNumber } from './values/convert.js';
import { NumberRangeError } from './values/decimal.js';
import { EMPTY_OBJECT, RegoObject } from './values/value.js';
import type { Value } from './values/value.js';

export interface ModuleSource {
  /** Name in faults; usually a file name. */
  readonly name: string;
  readonly text: string;
}

export interface CompileOptions {
  /** Builtins of the host, by name. They must be pure and bounded. */
  readonly builtins?: Readonly<Record<string, Builtin>>;
  /** The result of `opa.runtime()`. Without it, calls of this function are compile errors. */
  readonly runtime?: Json;
}

export interface EvaluateOptions {
  /** Plain data, or an exact `Value` from `parseJson`. Undefined means that there is no input. */
  readonly input?: Json | Value | undefined;
  readonly data?: Json | Value | undefined;
  /** Converts the numbers of plain results that no double may represent. The default is the nearest double. */
  readonly toNumber?: ToNumber;
  readonly budget?: Partial<Budget>;
  /** `time.now_ns()`: nanoseconds since 1970. The default is the time of the call. */
  readonly now?: bigint;
  /** Determines `rand.intn` and `uuid.rfc4122`. The default is derived from `now`. */
  readonly seed?: string;
  /** Whether errors of builtins end the evaluation instead of making expressions undefined. */
  readonly strict?: boolean;
  /** Receives the lines of `print`. */
  readonly print?: (line: string) => void;
  /** Returns milliseconds for the time budget. The default is `performance.now`. */
  readonly clock?: () => number;
}

export type JsonBindings = Readonly<Record<string, Json>>;

export interface Solution {
  readonly value: Value;
  readonly bindings: Bindings;
}

/** Parses modules and compiles them together. Throws `RegoCompileError` with every fault. */
export function compile(sources: readonly ModuleSource[], options: CompileOptions = {}): Program {
  const faults: Fault[] = [];
  const modules: Module[] = [];
  for (const { name, text } of sources) {
    try {
      modules.push(parseModule(text, { file: name }));
    } catch (error) {
      if (!(error instanceof RegoCompileError)) throw error;
      faults.push(...error.faults);
    }
  }
  if (faults.length > 0) throw new RegoCompileError(faults);
  const { builtins, runtime } = options;
  const runtimeValue = runtime === undefined ? undefined : fromPlain(runtime);
  const compiled = compileModules(modules, {
    ...(builtins === undefined ? {} : { builtins }),
    ...(runtimeValue === undefined ? {} : { runtime: runtimeValue }),
  });
  return new Program(compiled, modules, runtimeValue);
}

/** Compiled modules. Immutable: many evaluations may use one at the same time. */
export class Program {
  constructor(
    private readonly compiled: CompiledProgram,
    private readonly modules: readonly Module[],
    private readonly runtime: Value | undefined,
  ) {}

  /** Returns the dotted names of the packages, below `data`, without duplicates. */
  packages(): readonly string[] {
    return [...new Set(this.modules.map((module) => module.package.join('.')))];
  }

  /** Returns the paths of the packages, including those that cannot be written as a dotted name. */
  packagePaths(): readonly (readonly string[])[] {
    return this.packages().map(
      (name) => this.modules.find((module) => module.package.join('.') === name)?.package ?? [],
    );
  }

  /** Returns the names of the rules of a package, without functions. Of `q.r[s]`, it returns the first part, `q`. */
  rules(packageName: string): readonly string[] {
    const modules = this.modules.filter((module) => module.package.join('.') === packageName);
    const rules = modules.flatMap((module) => module.rules.filter((rule) => rule.args === undefined));
    return [...new Set(rules.map((rule) => rule.name.name))];
  }

  /** Prepares a query such as `data.app.allow` or `x = data.app.deny[_]`. Throws `RegoCompileError`. */
  query(text: string): PreparedQuery {
    const parsed = parseQuery(text);
    const forValue = valueQuery(parsed);
    const value = forValue === undefined ? undefined : compileQuery(this.compiled, forValue);
    return new PreparedQuery(this.compiled, compileQuery(this.compiled, parsed), value, this.runtime);
  }
}

/** A query ready to be evaluated against inputs. */
export class PreparedQuery {
  constructor(
    private readonly program: CompiledProgram,
    private readonly bindingsQuery: CompiledQuery,
    private readonly valueQuery: CompiledQuery | undefined,
    private readonly runtime: Value | undefined,
  ) {}

  /** Whether the query consists of one term, so that `value` can be called. */
  get hasValue(): boolean {
    return this.valueQuery !== undefined;
  }

  /** Returns the bindings of every solution. Without solutions, the query is undefined or false. */
  evaluate(options: EvaluateOptions = {}): JsonBindings[] {
    return guarded(options, () =>
      this.evaluateExact(options).map((bindings) => {
        const plain: Record<string, Json> = {};
        for (const [name, value] of bindings) plain[name] = toPlain(value, options.toNumber);
        return plain;
      }),
    );
  }

  /** Like `evaluate`, with exact values instead of plain ones. */
  evaluateExact(options: EvaluateOptions = {}): Bindings[] {
    return this.run(this.bindingsQuery, options);
  }

  /**
   * Returns the first value, which can be `false`, of a query that consists of one term (`data.app.allow`); undefined
   * if it has none.
   */
  value(options: EvaluateOptions = {}): Json | undefined {
    return guarded(options, () => {
      const value = this.valueExact(options);
      return value === undefined ? undefined : toPlain(value, options.toNumber);
    });
  }

  valueExact(options: EvaluateOptions = {}): Value | undefined {
    return this.runForValue(options)[0]?.get(RESULT);
  }

  /**
   * Returns every value, including `false`, of a query that consists of one term, each with the bindings of its
   * variables.
   */
  solutionsExact(options: EvaluateOptions = {}): Solution[] {
    return this.runForValue(options).map(toSolution);
  }

  private runForValue(options: EvaluateOptions): Bindings[] {
    if (this.valueQuery === undefined) throw new RegoInputError('only a query of one term has a value');
    return this.run(this.valueQuery, options);
  }

  private run(query: CompiledQuery, options: EvaluateOptions): Bindings[] {
    const solutions: Bindings[] = [];
    return guarded(options, (budget) => {
      const context = this.context(options, budget);
      const { exec, slots } = query.start((bindings) => solutions.push(bindings));
      const frame: Frame = new Array<undefined>(slots);
      context.run.meter.enter(query.stack);
      exec(frame, context);
      return solutions;
    });
  }

  private context(options: EvaluateOptions, budget: Budget): Context {
    const now = options.now ?? BigInt(Date.now()) * 1_000_000n;
    const run: Run = {
      meter: new Meter(budget, options.clock ?? (() => performance.now())),
      strict: options.strict ?? false,
      now,
      seed: options.seed ?? String(now),
      memo: new Map(),
      print: options.print,
      runtime: this.runtime,
    };
    const input = options.input === undefined ? undefined : fromPlain(options.input);
    const data = options.data === undefined ? EMPTY_OBJECT : fromPlain(options.data);
    if (!(data instanceof RegoObject)) throw new RegoInputError('data must be an object');
    return new Context({ run, input, data, root: this.program.tree.root, overrides: undefined, mocks: undefined });
  }
}

function toSolution(found: Bindings): Solution {
  const bindings = new Map(found);
  bindings.delete(RESULT);
  return { value: found.get(RESULT) ?? null, bindings };
}

function guarded<T>(options: EvaluateOptions, work: (budget: Budget) => T): T {
  const budget = { ...DEFAULT_BUDGET, ...options.budget };
  try {
    return work(budget);
  } catch (error) {
    throw typedError(error, budget);
  }
}

/**
 * Converts errors of the engine: a stack overflow becomes the error of an exceeded depth, a failed allocation that of
 * exceeded memory.
 */
function typedError(error: unknown, budget: Budget): unknown {
  if (error instanceof NumberRangeError) return new RegoEvaluationError('eval_internal_error', error.message);
  if (!(error instanceof RangeError)) return error;
  const isStack = /call stack/i.test(error.message);
  return new RegoBudgetError(isStack ? 'depth' : 'memory', isStack ? budget.depth : budget.memory);
}
