import type { Value } from '../values/value.js';

export interface Location {
  readonly row: number;
  readonly col: number;
  readonly offset: number;
  readonly file: string;
}

export interface ValueTerm {
  readonly kind: 'value';
  readonly value: Value;
  readonly loc: Location;
  /** The source text, if the formatter keeps it (raw strings, spelling of numbers). */
  readonly source?: string;
}
export interface VarTerm {
  readonly kind: 'var';
  readonly name: string;
  readonly loc: Location;
}
export interface RefTerm {
  readonly kind: 'ref';
  readonly head: Term;
  readonly path: readonly Term[];
  readonly loc: Location;
}
export interface ArrayTerm {
  readonly kind: 'array';
  readonly items: readonly Term[];
  readonly loc: Location;
  readonly end?: Location;
}
export interface SetTerm {
  readonly kind: 'set';
  readonly items: readonly Term[];
  readonly loc: Location;
  readonly end?: Location;
}
export interface ObjectTerm {
  readonly kind: 'object';
  readonly entries: readonly (readonly [Term, Term])[];
  readonly loc: Location;
  readonly end?: Location;
}
export interface ArrayComprehension {
  readonly kind: 'arraycomp';
  readonly term: Term;
  readonly body: readonly Expr[];
  readonly loc: Location;
}
export interface SetComprehension {
  readonly kind: 'setcomp';
  readonly term: Term;
  readonly body: readonly Expr[];
  readonly loc: Location;
}
export interface ObjectComprehension {
  readonly kind: 'objectcomp';
  readonly key: Term;
  readonly value: Term;
  readonly body: readonly Expr[];
  readonly loc: Location;
}
export interface CallTerm {
  readonly kind: 'call';
  /** Dotted name: a builtin (`count`, `io.jwt.decode`, `plus`) or, once resolved, `data.pkg.f`. */
  readonly name: string;
  /** The function as it was written, unless it was an operator. */
  readonly ref?: RefTerm | VarTerm;
  readonly args: readonly Term[];
  readonly loc: Location;
}
export interface TemplateTerm {
  readonly kind: 'template';
  readonly parts: readonly (string | Expr)[];
  /** The source text. */
  readonly source: string;
  readonly loc: Location;
}

export type Comprehension = ArrayComprehension | SetComprehension | ObjectComprehension;
export type Term =
  ValueTerm | VarTerm | RefTerm | ArrayTerm | SetTerm | ObjectTerm | Comprehension | CallTerm | TemplateTerm;

export interface With {
  readonly target: Term;
  readonly value: Term;
  /** Set by name resolution if the replacement is a builtin function. */
  readonly builtin?: string;
  readonly loc: Location;
}

interface ExprBase {
  readonly with: readonly With[];
  readonly loc: Location;
}
/** A term that must be defined and not false. Calls of `eq` and `assign` unify their arguments. */
export interface TermExpr extends ExprBase {
  readonly kind: 'term';
  readonly term: Term;
  readonly negated: boolean;
}
export interface SomeExpr extends ExprBase {
  readonly kind: 'some';
  readonly vars: readonly VarTerm[];
}
export interface SomeInExpr extends ExprBase {
  readonly kind: 'somein';
  readonly key: Term | undefined;
  readonly value: Term;
  readonly domain: Term;
}
export interface EveryExpr extends ExprBase {
  readonly kind: 'every';
  readonly key: VarTerm | undefined;
  readonly value: VarTerm;
  readonly domain: Term;
  readonly body: readonly Expr[];
  readonly closeRow: number;
}
export type Expr = TermExpr | SomeExpr | SomeInExpr | EveryExpr;

export interface ElseBranch {
  readonly value: Term | undefined;
  /** Undefined if the branch has no body. */
  readonly body: readonly Expr[] | undefined;
  readonly closeRow: number | undefined;
  readonly loc: Location;
}

export interface Rule {
  readonly isDefault: boolean;
  readonly name: VarTerm;
  /** The operands after the name: `a.b[x]` has the path `b`, `x`. */
  readonly path: readonly Term[];
  readonly args: readonly Term[] | undefined;
  /** `contains` */
  readonly member: Term | undefined;
  readonly value: Term | undefined;
  readonly body: readonly Expr[] | undefined;
  /** Row of the brace that closes the body; undefined if the body had no braces. For the formatter. */
  readonly closeRow: number | undefined;
  readonly elses: readonly ElseBranch[];
  readonly annotations: readonly Annotation[];
  readonly loc: Location;
  readonly endRow: number;
}

export interface Import {
  readonly path: readonly string[];
  readonly alias: string | undefined;
  readonly loc: Location;
}

/** A `# METADATA` block with its parsed YAML. */
export interface Annotation {
  readonly value: Value;
  readonly scope: string;
  readonly loc: Location;
}

export interface Comment {
  readonly text: string;
  readonly row: number;
  readonly col: number;
}

export interface Module {
  readonly file: string;
  readonly package: readonly string[];
  readonly packageLoc: Location;
  readonly imports: readonly Import[];
  readonly rules: readonly Rule[];
  readonly comments: readonly Comment[];
  readonly annotations: readonly Annotation[];
  /** Whether the module was parsed with the older grammar, in which rule bodies need no `if`. */
  readonly legacy: boolean;
}
