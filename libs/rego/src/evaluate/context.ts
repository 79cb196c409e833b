import type { Builtin } from '../builtins/types.js';
import type { Meter } from '../budget.js';
import { EMPTY_OBJECT, RegoObject } from '../values/value.js';
import type { Key, Value } from '../values/value.js';
import type { FunctionNode, RuleNode } from './tree.js';

/** Variables of one activation of a rule, by slot; comprehensions keep their collectors in slots of their own. */
export type Slot = Value | Collector | undefined;
export type Frame = Slot[];

export class Collector {
  readonly list: Value[] = [];
  readonly map = new Map<Key, Value>();
  readonly keys = new Map<Key, Value>();
}

/** Runs a statement and what follows it. True stops the search for further solutions. */
export type Exec = (frame: Frame, context: Context) => boolean;
/** Undefined where the term has no value. */
export type Evaluate = (frame: Frame, context: Context) => Value | undefined;
/** Tests a value, binding variables of a pattern. */
export type Matcher = (value: Value, frame: Frame, context: Context) => boolean;

/** What replaces a function while a `with` is in force. */
export type Mock =
  { readonly value: Value } | { readonly target: FunctionNode } | { readonly builtin: Builtin; readonly name: string };

/** A part of `data` replaced by `with`. */
export interface Override {
  readonly value: Value | undefined;
  readonly children: ReadonlyMap<Key, { readonly key: Value; readonly override: Override }>;
}

/** What all contexts of one evaluation share. */
export interface Run {
  readonly meter: Meter;
  readonly strict: boolean;
  /** Nanoseconds since 1970. */
  readonly now: bigint;
  readonly seed: string;
  readonly memo: Map<string, Value>;
  readonly print: ((line: string) => void) | undefined;
  readonly runtime: Value | undefined;
}

const NO_VALUE = Symbol('undefined');
export type Cached = Value | typeof NO_VALUE | undefined;

/** What a context is made of. */
export interface Documents {
  readonly run: Run;
  readonly input: Value | undefined;
  readonly data: Value;
  /** Root of the rules. */
  readonly root: RuleNode;
  readonly overrides: Override | undefined;
  readonly mocks: ReadonlyMap<string, Mock> | undefined;
}

/** Documents as statements see them; `with` makes a child whose rules are evaluated afresh. */
export class Context {
  readonly values: Cached[] = [];
  readonly branches: unknown[] = [];
  calls: Map<string, Cached> | undefined;
  readonly run: Run;
  readonly input: Value | undefined;
  readonly overrides: Override | undefined;
  readonly mocks: ReadonlyMap<string, Mock> | undefined;

  constructor(
    readonly documents: Documents,
    readonly parent: Context | undefined = undefined,
  ) {
    this.run = documents.run;
    this.input = documents.input;
    this.overrides = documents.overrides;
    this.mocks = documents.mocks;
  }

  get data(): Value {
    return this.documents.data;
  }

  get root(): RuleNode {
    return this.documents.root;
  }

  /** A context like this one with something replaced. */
  with(changes: Partial<Pick<Documents, 'input' | 'overrides' | 'mocks'>>): Context {
    return new Context({ ...this.documents, ...changes }, this);
  }
}

export function remember(value: Value | undefined): Cached {
  return value === undefined ? NO_VALUE : value;
}

export function recall(cached: Exclude<Cached, undefined>): Value | undefined {
  return typeof cached === 'symbol' ? undefined : cached;
}

/** `container` with `value` at `path`; what is not an object on the way is replaced by one. */
export function insertAt(container: Value | undefined, path: readonly Value[], value: Value): Value {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const object = container instanceof RegoObject ? container : EMPTY_OBJECT;
  return new RegoObject([...object.entries(), [key, insertAt(object.get(key), rest, value)]]);
}
