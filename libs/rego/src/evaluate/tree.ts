import type { Annotation, Location } from '../syntax/ast.js';
import { keyOf } from '../values/value.js';
import type { Key, Value } from '../values/value.js';
import type { Evaluate, Exec, Matcher } from './context.js';

/** One branch of a rule: the body stores its value in slot 0 of the frame. */
export interface Branch {
  readonly slots: number;
  run: Exec;
}

/** A rule ready to run: branches are tried in order (`else`). */
export interface CompiledRule {
  readonly branches: readonly Branch[];
  readonly args: readonly Matcher[];
  /** Set where the rule can only apply when a document's member has one of some values; see `RuleIndex`. */
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

/** Place of a rule, or of what lies above rules, in the tree of virtual documents. */
export class RuleNode {
  readonly children = new Map<Key, RuleNode>();
  kind: 'package' | 'complete' | 'set' | 'function' = 'package';
  readonly rules: CompiledRule[] = [];
  /** Value where no rule applies. */
  fallback: Evaluate | undefined;
  /** Rules whose reference goes on with variables below this node. */
  readonly dynamic: CompiledRule[] = [];
  /** All rules have the same constant value, so the first solution ends the search. */
  constant = false;
  function: FunctionNode | undefined;
  sortedChildren: readonly RuleNode[] | undefined;
  index: RuleIndex | undefined;

  constructor(
    readonly id: number,
    readonly path: readonly Value[],
  ) {}

  get key(): Value {
    return this.path[this.path.length - 1] ?? 'data';
  }

  child(key: Value): RuleNode | undefined {
    return this.children.get(keyOf(key));
  }
}

/** Rules of a node by the value of one member of `input`. */
export interface RuleIndex {
  readonly path: readonly string[];
  readonly byValue: ReadonlyMap<Key, readonly CompiledRule[]>;
  /** Rules that apply whatever the member is. */
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
