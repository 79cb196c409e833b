import type { EveryExpr, Expr, Location, RefTerm, SomeInExpr, Term, TermExpr, VarTerm, With } from '../syntax/ast.js';
import { SyntaxFault } from '../syntax/fault.js';
import { call } from '../syntax/terms.js';
import { typeName } from '../values/value.js';
import { expandNegated } from './negation.js';
import { termVars } from './vars.js';

/** How a name was introduced into its scope. */
type Origin = 'argument' | 'declared' | 'assigned' | 'seen';

interface Entry {
  readonly unique: string;
  readonly origin: Origin;
  readonly loc: Location;
  used: boolean;
}
type Scope = Map<string, Entry>;

/** Names that refer to documents in a module: rules of its package, and imports. */
export type Globals = ReadonlyMap<string, readonly string[]>;

/**
 * Rewrites terms so that every name is either a variable or a reference that begins with a root document, and every
 * declared variable has a unique name. The declarations `:=`, `some` and arguments are thereby removed.
 */
export class Resolver {
  private readonly scopes: Scope[] = [new Map()];
  private readonly hidden: Set<string>[] = [];
  private counter = 0;

  constructor(
    private readonly globals: Globals,
    private readonly faults: SyntaxFault[],
    private readonly isBuiltin: (name: string) => boolean,
  ) {}

  fresh(hint: string): string {
    return `${hint}#${++this.counter}`;
  }

  /** Declares arguments. Their names hide documents and cannot be declared again. */
  declareArguments(args: readonly Term[]): void {
    const names = new Set<string>();
    for (const arg of args) patternVars(arg, names);
    this.hidden.push(names);
    for (const name of names) {
      if (!name.startsWith('$')) this.declare({ kind: 'var', name, loc: args[0]?.loc ?? NOWHERE }, 'argument');
    }
  }

  private get scope(): Scope {
    return this.scopes[this.scopes.length - 1] as Scope;
  }

  private find(name: string): Entry | undefined {
    for (let at = this.scopes.length - 1; at >= 0; at--) {
      const entry = this.scopes[at]?.get(name);
      if (entry !== undefined && entry.origin !== 'seen') return entry;
    }
    return undefined;
  }

  private declare(variable: VarTerm, origin: Origin): VarTerm {
    const { name, loc } = variable;
    const known = this.scope.get(name);
    if (known !== undefined && !name.startsWith('$')) {
      const verbs = {
        argument: 'redeclared',
        declared: 'declared above',
        assigned: 'assigned above',
        seen: 'referenced above',
      };
      const noun = known.origin === 'argument' ? 'arg' : 'var';
      this.fault(`${noun} ${name} ${verbs[known.origin]}`, loc);
    }
    if (name.startsWith('$')) return variable;
    const unique = this.fresh(name);
    this.scope.set(name, { unique, origin, loc, used: origin !== 'declared' });
    return { kind: 'var', name: unique, loc };
  }

  private fault(message: string, loc: Location): void {
    this.faults.push(new SyntaxFault(message, loc, 'rego_compile_error'));
  }

  /** Resolves a body and then calls `inScope` in the scope of the body. */
  body<T>(statements: readonly Expr[], inScope: (resolver: this) => T): { body: readonly Expr[]; result: T } {
    this.hidden.push(declaredNames(statements));
    this.scopes.push(new Map(this.scopes.length === 1 ? this.scope : []));
    const body: Expr[] = [];
    for (const statement of statements) {
      const resolved = this.statement(statement);
      if (resolved?.kind === 'term' && resolved.negated)
        body.push(...expandNegated(resolved, () => this.fresh('$not')));
      else if (resolved !== undefined) body.push(resolved);
    }
    const result = inScope(this);
    for (const [name, entry] of this.scope) {
      if (!entry.used && entry.origin === 'declared') this.fault(`declared var ${name} unused`, entry.loc);
    }
    this.scopes.pop();
    this.hidden.pop();
    return { body, result };
  }

  private statement(expr: Expr): Expr | undefined {
    switch (expr.kind) {
      case 'some':
        for (const variable of expr.vars) this.declare(variable, 'declared');
        return undefined;
      case 'somein':
        return this.someIn(expr);
      case 'every':
        return this.every(expr);
      default:
        return this.termExpr(expr);
    }
  }

  private someIn(expr: SomeInExpr): TermExpr {
    const domain = this.term(expr.domain);
    const modifiers = this.modifiers(expr.with);
    const declareAll = (term: Term): Term => {
      for (const name of patternVars(term, new Set())) {
        if (!name.startsWith('$')) {
          this.declare({ kind: 'var', name, loc: term.loc }, 'declared');
          const entry = this.scope.get(name);
          if (entry !== undefined) entry.used = true;
        }
      }
      return this.term(term);
    };
    const key = expr.key === undefined ? this.wildcard(expr.loc) : declareAll(expr.key);
    const value = declareAll(expr.value);
    const ref: RefTerm =
      domain.kind === 'ref'
        ? { ...domain, path: [...domain.path, key] }
        : { kind: 'ref', head: domain, path: [key], loc: domain.loc };
    return { kind: 'term', term: call('eq', [value, ref], expr.loc), negated: false, with: modifiers, loc: expr.loc };
  }

  private wildcard(loc: Location): VarTerm {
    return { kind: 'var', name: this.fresh('$'), loc };
  }

  private every(expr: EveryExpr): EveryExpr {
    const domain = this.term(expr.domain);
    const modifiers = this.modifiers(expr.with);
    const names = new Set([expr.value.name, ...(expr.key === undefined ? [] : [expr.key.name])]);
    this.hidden.push(names);
    this.scopes.push(new Map());
    const use = (variable: VarTerm): VarTerm => {
      const declared = this.declare(variable, 'declared');
      const entry = this.scope.get(variable.name);
      if (entry !== undefined) entry.used = true;
      return declared;
    };
    const key = expr.key === undefined ? undefined : use(expr.key);
    const value = use(expr.value);
    const { body } = this.body(expr.body, () => undefined);
    this.scopes.pop();
    this.hidden.pop();
    return { ...expr, key, value, domain, body, with: modifiers };
  }

  private termExpr(expr: TermExpr): TermExpr {
    const { term } = expr;
    if (term.kind !== 'call' || term.name !== 'assign' || term.ref !== undefined) {
      const resolved = this.term(term);
      return { ...expr, term: resolved, with: this.modifiers(expr.with) };
    }
    if (expr.negated) this.fault('cannot assign vars inside negated expression', expr.loc);
    const [target, source] = term.args as [Term, Term];
    const value = this.term(source);
    const modifiers = this.modifiers(expr.with);
    const assigned = this.assignTarget(target);
    return { ...expr, term: { ...term, name: 'eq', args: [assigned, value] }, with: modifiers };
  }

  private assignTarget(target: Term): Term {
    switch (target.kind) {
      case 'var':
        return this.declare(target, 'assigned');
      case 'array':
        return { ...target, items: target.items.map((item) => this.assignTarget(item)) };
      case 'object':
        return {
          ...target,
          entries: target.entries.map(([key, value]) => [this.term(key), this.assignTarget(value)] as const),
        };
      default:
        this.fault(`cannot assign to ${target.kind === 'value' ? typeName(target.value) : target.kind}`, target.loc);
        return target;
    }
  }

  private modifiers(modifiers: readonly With[]): readonly With[] {
    return modifiers.map((modifier) => {
      const target = this.withTarget(modifier.target);
      const builtin = this.builtinReplacement(modifier.value);
      if (builtin === undefined) return { ...modifier, target, value: this.term(modifier.value) };
      return { ...modifier, target, value: { kind: 'value', value: null, loc: modifier.loc }, builtin };
    });
  }

  /** In `with f as count`, `count` is the builtin unless the name has another meaning in this scope. */
  private builtinReplacement(value: Term): string | undefined {
    const head = value.kind === 'ref' ? value.head : value;
    if (head.kind !== 'var' || this.find(head.name) !== undefined) return undefined;
    if (this.globals.has(head.name) && !this.isHidden(head.name)) return undefined;
    const name = dottedName(value);
    return name !== undefined && this.isBuiltin(name) ? name : undefined;
  }

  /** `input` as the target of a modifier is the document, even if a variable of this name hides it. */
  private withTarget(target: Term): Term {
    if (target.kind === 'var' && target.name === 'input') return rootRef(target);
    if (target.kind === 'ref' && target.head.kind === 'var' && target.head.name === 'input') {
      return { ...target, path: target.path.map((part) => this.term(part)) };
    }
    return this.term(target);
  }

  /** Returns the names of the current scope with their variables. */
  visibleNames(): { name: string; unique: string }[] {
    return [...this.scope].map(([name, { unique }]) => ({ name, unique }));
  }

  private isHidden(name: string): boolean {
    return this.hidden.some((names) => names.has(name));
  }

  private variable(term: VarTerm): Term {
    const { name, loc } = term;
    const entry = this.find(name);
    if (entry !== undefined) {
      entry.used = true;
      return { kind: 'var', name: entry.unique, loc };
    }
    const path = this.isHidden(name) ? undefined : this.globals.get(name);
    if (path !== undefined) return documentRef(path, loc);
    if (name === 'data' || name === 'input') return rootRef(term);
    if (!this.scope.has(name)) this.scope.set(name, { unique: name, origin: 'seen', loc, used: true });
    return term;
  }

  term(term: Term): Term {
    switch (term.kind) {
      case 'value':
        return term;
      case 'var':
        return this.variable(term);
      case 'ref':
        return this.ref(term);
      case 'array':
      case 'set':
        return { ...term, items: term.items.map((item) => this.term(item)) };
      case 'object':
        return { ...term, entries: term.entries.map(([key, value]) => [this.term(key), this.term(value)] as const) };
      case 'call':
        return { kind: 'call', loc: term.loc, ...this.callee(term), args: term.args.map((arg) => this.term(arg)) };
      case 'template':
        return this.template(term.parts, term);
      case 'arraycomp':
      case 'setcomp': {
        const { body, result } = this.body(term.body, () => this.term(term.term));
        return { ...term, body, term: result };
      }
      default: {
        const heads = (): readonly [Term, Term] => [this.term(term.key), this.term(term.value)];
        const { body, result } = this.body(term.body, heads);
        return { ...term, body, key: result[0], value: result[1] };
      }
    }
  }

  private template(parts: readonly (string | Expr)[], term: Extract<Term, { kind: 'template' }>): Term {
    const resolved = parts.map((part) => (typeof part === 'string' ? part : (this.statement(part) ?? '')));
    return { ...term, parts: resolved };
  }

  private ref(term: RefTerm): Term {
    const head = this.term(term.head);
    const path = term.path.map((part) => this.term(part));
    if (head.kind === 'ref') return { ...head, path: [...head.path, ...path], loc: term.loc };
    return { ...term, head, path };
  }

  /** Resolves a called name: a rule of this package, an import, the path of a document, or a builtin. */
  private callee(term: Extract<Term, { kind: 'call' }>): { name: string; ref?: RefTerm } {
    if (term.ref === undefined) return { name: term.name };
    const head = term.ref.kind === 'var' ? term.ref : term.ref.head;
    if (head.kind !== 'var') return { name: term.name };
    const entry = this.find(head.name);
    if (entry !== undefined) this.fault(`called function ${term.name} shadowed`, term.loc);
    const resolved = term.ref.kind === 'var' ? this.calleeHead(head) : this.calleeRef(term.ref, head);
    if (resolved.kind === 'ref' && isDocument(resolved)) return { name: term.name, ref: resolved };
    if (!this.isBuiltin(term.name)) {
      this.faults.push(new SyntaxFault(`undefined function ${term.name}`, term.loc, 'rego_type_error'));
    }
    return { name: term.name };
  }

  private calleeHead(head: VarTerm): Term {
    const path = this.isHidden(head.name) ? undefined : this.globals.get(head.name);
    return path === undefined ? head : documentRef(path, head.loc);
  }

  private calleeRef(ref: RefTerm, head: VarTerm): Term {
    const resolved = this.calleeHead(head);
    return resolved.kind === 'ref' ? { ...resolved, path: [...resolved.path, ...ref.path] } : ref;
  }
}

const NOWHERE: Location = { row: 1, col: 1, offset: 0, file: '' };

function isDocument(ref: RefTerm): boolean {
  return ref.head.kind === 'var' && (ref.head.name === 'data' || ref.head.name === 'input');
}

function rootRef(root: VarTerm): RefTerm {
  return { kind: 'ref', head: root, path: [], loc: root.loc };
}

function documentRef(path: readonly string[], loc: Location): RefTerm {
  const [root, ...rest] = path;
  return {
    kind: 'ref',
    head: { kind: 'var', name: root ?? 'data', loc },
    path: rest.map((name) => ({ kind: 'value', value: name, loc })),
    loc,
  };
}

/**
 * Collects the variables that a pattern can bind. They do not include those inside references, calls, closures and keys
 * of objects.
 */
export function patternVars(term: Term, out: Set<string>): Set<string> {
  if (term.kind === 'var') out.add(term.name);
  else if (term.kind === 'array' || term.kind === 'set') for (const item of term.items) patternVars(item, out);
  else if (term.kind === 'object') for (const [, value] of term.entries) patternVars(value, out);
  return out;
}

/** Returns the text of a variable or a reference such as `a.b.c`; undefined for other terms. */
export function dottedName(term: Term): string | undefined {
  if (term.kind === 'var') return term.name;
  if (term.kind !== 'ref' || term.head.kind !== 'var') return undefined;
  const names = [term.head.name];
  for (const part of term.path) {
    if (part.kind !== 'value' || typeof part.value !== 'string') return undefined;
    names.push(part.value);
  }
  return names.join('.');
}

/** Returns the names that a body declares. They hide documents in the whole body. */
function declaredNames(statements: readonly Expr[]): Set<string> {
  const names = new Set<string>();
  for (const expr of statements) {
    if (expr.kind === 'some') for (const variable of expr.vars) names.add(variable.name);
    if (expr.kind === 'somein') {
      if (expr.key !== undefined) patternVars(expr.key, names);
      patternVars(expr.value, names);
    }
    if (expr.kind === 'term' && expr.term.kind === 'call' && expr.term.name === 'assign') {
      const target = expr.term.args[0];
      if (target !== undefined) termVars(target, names);
    }
  }
  return names;
}
