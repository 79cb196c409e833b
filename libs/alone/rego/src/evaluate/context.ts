import type { Builtin } from '../builtins/types.js';
import type { Run } from './run.js';
import type { Annotation, Location } from '../syntax/ast.js';
import { EMPTY_OBJECT, keyOf, RegoObject } from '../values/value.js';
import type { Key, Value } from '../values/value.js';

/** A slot of an activation of a rule: the value of a variable, or the collector of a comprehension. */
export type Slot = Value | Collector | undefined;
export type Frame = Slot[];

export class Collector {
  readonly list: Value[] = [];
  readonly map = new Map<Key, Value>();
  readonly keys = new Map<Key, Value>();
}

/** Runs a statement and the statements that follow it. True stops the search for further solutions. */
export type Exec = (frame: Frame, context: Context) => boolean;
/** Undefined if the term has no value. */
export type Evaluate = (frame: Frame, context: Context) => Value | undefined;
/** Tests a value against a pattern and binds the variables of the pattern. */
export type Matcher = (value: Value, frame: Frame, context: Context) => boolean;

/** The replacement of a function by a `with`. */
export type Mock =
  { readonly value: Value } | { readonly target: FunctionNode } | { readonly builtin: Builtin; readonly name: string };

/** A part of `data` replaced by `with`. */
export interface Override {
  readonly value: Value | undefined;
  readonly children: ReadonlyMap<Key, { readonly key: Value; readonly override: Override }>;
}

const NO_VALUE = Symbol('undefined');
export type Cached = Value | typeof NO_VALUE | undefined;

/** The parts of a context. */
export interface Documents {
  readonly run: Run;
  readonly input: Value | undefined;
  readonly data: Value;
  /** Root of the rules. */
  readonly root: RuleNode;
  readonly overrides: Override | undefined;
  readonly mocks: ReadonlyMap<string, Mock> | undefined;
}

/** The documents that statements see. `with` creates a child context, whose rules are evaluated again. */
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
    readonly parent?: Context,
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

  /** Returns a copy of this context with the changes. */
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

/** Returns `container` with `value` at `path`. Values on the path that are not objects are replaced by objects. */
export function insertAt(container: Value | undefined, path: readonly Value[], value: Value): Value {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const object = container instanceof RegoObject ? container : EMPTY_OBJECT;
  return new RegoObject([...object.entries(), [key, insertAt(object.get(key), rest, value)]]);
}

/** One branch of a rule: the body stores its value in slot 0 of the frame. */
export interface Branch {
  readonly slots: number;
  run: Exec;
}

/** A compiled rule. Its branches are tried in order (`else`). */
export interface CompiledRule {
  readonly branches: readonly Branch[];
  readonly args: readonly Matcher[];
  /** Set if the rule can apply only when a member of `input` has a certain value; see `RuleIndex`. */
  readonly guard: Guard | undefined;
  readonly loc: Location;
  readonly annotations: readonly Annotation[];
}

export interface Guard {
  /** Path below `input`. */
  readonly path: readonly string[];
  readonly value: Value;
}

export interface FunctionNode {
  readonly node: RuleNode;
  readonly arity: number;
  readonly rules: CompiledRule[];
  fallback: Evaluate | undefined;
}

/** A node of the tree of virtual documents: a rule, or a level above rules. */
export class RuleNode {
  readonly children = new Map<Key, RuleNode>();
  kind: 'package' | 'complete' | 'set' | 'function' = 'package';
  readonly rules: CompiledRule[] = [];
  /** Value if no rule applies. */
  fallback: Evaluate | undefined;
  /** Rules whose references continue with variables below this node. */
  readonly dynamic: CompiledRule[] = [];
  /** The kind of document that these rules define, known before they are compiled. */
  dynamicKind: 'complete' | 'set' | undefined;
  /** Whether all rules have the same constant value, so that the first solution ends the search. */
  constant = false;
  function: FunctionNode | undefined;
  /** The stack that its evaluation needs, in bytes, without that of the rules it reads. */
  stack = 0;
  sortedChildren: readonly RuleNode[] | undefined;
  index: RuleIndex | undefined;

  constructor(
    readonly id: number,
    readonly path: readonly Value[],
  ) {}

  get key(): Value {
    return this.path.length === 0 ? 'data' : (this.path[this.path.length - 1] as Value);
  }

  child(key: Value): RuleNode | undefined {
    return this.children.get(keyOf(key));
  }
}

/** Rules of a node by the value of one member of `input`. */
export interface RuleIndex {
  readonly path: readonly string[];
  readonly byValue: ReadonlyMap<Key, readonly CompiledRule[]>;
  /** Rules that can apply with any value of the member. */
  readonly others: readonly CompiledRule[];
}

export class RuleTree {
  private count = 0;
  readonly root = this.make([]);

  private make(path: readonly Value[]): RuleNode {
    return new RuleNode(this.count++, path);
  }

  at(path: readonly Value[]): RuleNode {
    let node = this.root;
    for (const [depth, key] of path.entries()) {
      const id = keyOf(key);
      let child = node.children.get(id);
      if (child === undefined) {
        child = this.make(path.slice(0, depth + 1));
        node.children.set(id, child);
      }
      node = child;
    }
    return node;
  }

  find(path: readonly Value[]): RuleNode | undefined {
    let node: RuleNode | undefined = this.root;
    for (const key of path) node = node?.child(key);
    return node;
  }
}
