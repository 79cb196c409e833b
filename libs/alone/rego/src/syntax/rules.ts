import type { Annotation, ElseBranch, Expr, Import, Location, Rule, Term, VarTerm } from './ast.js';
import { BodyParser } from './bodies.js';
import { isKeyword } from './stream.js';

export interface ParsedPackage {
  readonly path: readonly string[];
  readonly loc: Location;
}

interface Head {
  readonly name: VarTerm;
  readonly path: readonly Term[];
  readonly args: readonly Term[] | undefined;
  readonly member: Term | undefined;
  readonly value: Term | undefined;
}

/** Maximum number of names in the path of a package or rule, each of which is a node of the tree of documents. */
const MOST_NAMES = 50;

const NO_ANNOTATIONS: readonly Annotation[] = [];

type RuleBody = Pick<Rule, 'body' | 'closeRow'>;

/**
 * Parses packages, imports and rules. `legacy`: accepts bodies without `if`, and reads `p[x]` as membership in a set.
 */
export class RuleParser extends BodyParser {
  constructor(
    tokens: ConstructorParameters<typeof BodyParser>[0],
    text: string,
    file: string,
    protected readonly legacy: boolean,
  ) {
    super(tokens, text, file);
  }

  protected packageStatement(): ParsedPackage {
    const loc = this.location();
    if (!this.acceptWord('package')) this.unexpected('package keyword');
    return { path: this.dottedPath(), loc };
  }

  private dottedPath(): string[] {
    const loc = this.location();
    if (this.token.kind === 'name' && !this.headsReference() && isKeyword(this.token.text)) this.unexpected();
    const term = this.term();
    if (term.kind === 'var') return [term.name];
    if (term.kind !== 'ref' || term.head.kind !== 'var') return this.failAt('expected a dotted path', loc);
    this.checkLength(term.path, loc);
    const path = [term.head.name];
    for (const part of term.path) {
      if (part.kind !== 'value' || typeof part.value !== 'string') {
        return this.failAt('a path must contain names and strings only', part.loc);
      }
      path.push(part.value);
    }
    return path;
  }

  private checkLength(path: readonly Term[], loc: Location): void {
    if (path.length >= MOST_NAMES) this.failAt('path is too long', loc);
  }

  private failAt(message: string, loc: Location): never {
    const token = this.tokens.find((candidate) => candidate.offset === loc.offset);
    return this.fail(message, token);
  }

  protected importStatement(): Import {
    const loc = this.location();
    this.advance();
    const at = this.token;
    const path = this.dottedPath();
    if (!['data', 'input', 'rego', 'future'].includes(path[0] ?? '')) {
      this.fail(
        `unexpected import path, must begin with one of: {data, future, input, rego}, got: ${path[0] ?? ''}`,
        at,
      );
    }
    let alias: string | undefined;
    if (this.acceptWord('as')) {
      if (this.token.kind !== 'name') this.unexpected('identifier');
      alias = this.advance().text;
    } else if ((path[0] === 'data' || path[0] === 'input') && isKeyword(path.at(-1) ?? '')) {
      this.fail(`unexpected import path, must not end with a keyword, got: ${path.at(-1) ?? ''}`, at);
    }
    return { path, alias, loc };
  }

  protected rules(): Rule[] {
    const loc = this.location();
    const isDefault = this.acceptWord('default');
    const head = this.head(isDefault);
    const start = { isDefault, ...head, annotations: NO_ANNOTATIONS, loc };
    if (isDefault) {
      if (head.value === undefined) return this.fail('default rules must have a value');
      this.checkDefault(head, head.value);
      return [{ ...start, body: undefined, closeRow: undefined, elses: [], endRow: this.previous.endRow }];
    }
    const { body, closeRow } = this.ruleBody(head);
    const elseLoc = this.location();
    const elses = this.elses();
    if (elses.length > 0) this.checkElse(head, elseLoc);
    const first: Rule = {
      ...start,
      ...this.legacyMember(head, body),
      body,
      closeRow,
      elses,
      endRow: this.previous.endRow,
    };
    this.checkBare(first);
    const rules = [first];
    if (this.legacy && closeRow !== undefined) {
      while (this.isOp('{'))
        rules.push({ ...first, ...this.ruleBody(), elses: this.elses(), endRow: this.previous.endRow });
    }
    return rules;
  }

  private checkBare(rule: Rule): void {
    const bare = rule.value === undefined && rule.body === undefined && rule.member === undefined;
    if (bare && !this.legacy && rule.elses.length === 0) {
      this.failAt('expected if keyword, a value or contains after the name of a rule', rule.loc);
    }
  }

  private checkElse(head: Head, loc: Location): void {
    if (head.member !== undefined) this.failAt('else keyword cannot be used on multi-value rules', loc);
    if (head.path.some((part) => part.kind !== 'value'))
      this.failAt('else keyword cannot be used on rules with variables in head', loc);
  }

  private checkDefault({ path, args = [] }: Head, value: Term): void {
    const variable = path.find((part) => part.kind !== 'value');
    if (variable !== undefined) this.failAt('default rules cannot have variables in their reference', variable.loc);
    const unfit = unfitForDefault(value);
    if (unfit !== undefined) this.failAt(`illegal default rule (value cannot contain ${unfit.kind})`, unfit.loc);
    const names = new Set<string>();
    for (const arg of args) {
      if (arg.kind !== 'var')
        return this.failAt(`illegal default rule (arguments cannot contain ${arg.kind})`, arg.loc);
      if (names.has(arg.name)) this.failAt(`illegal default rule (arguments cannot be repeated ${arg.name})`, arg.loc);
      names.add(arg.name);
    }
  }

  /** In the older grammar `p[x] { … }` defines a set. */
  private legacyMember(head: Head, body: readonly Expr[] | undefined): Partial<Pick<Rule, 'member' | 'path'>> {
    const last = head.path[head.path.length - 1];
    const single = head.path.length === 1 && last !== undefined && !isField(this.text, last);
    if (!this.legacy || head.value !== undefined || head.member !== undefined || !single) return {};
    if (head.args !== undefined || (body === undefined && last.kind === 'var')) return {};
    return { member: last, path: [] };
  }

  private head(isDefault: boolean): Head {
    const term = this.term();
    const target = term.kind === 'call' ? term.ref : term;
    if (target === undefined || (target.kind !== 'var' && target.kind !== 'ref')) {
      return this.failAt('rule head must begin with a name', term.loc);
    }
    const name = target.kind === 'var' ? target : target.head;
    if (name.kind !== 'var' || name.name.startsWith('$'))
      return this.failAt('rule head must begin with a name', term.loc);
    const path = target.kind === 'ref' ? target.path : [];
    this.checkLength(path, term.loc);
    const args = term.kind === 'call' ? term.args : undefined;
    const member = !isDefault && args === undefined && this.acceptWord('contains') ? this.infix() : undefined;
    const value = member === undefined && (this.acceptOp(':=') || this.acceptOp('=')) ? this.infix() : undefined;
    return { name, path, args, member, value };
  }

  private ruleBody(head?: Head): RuleBody {
    if (this.acceptWord('if')) return this.ifBody();
    if (this.isOp('{')) return this.legacy ? this.bracedBody() : this.fail(missingKeyword(head));
    return { body: undefined, closeRow: undefined };
  }

  private ifBody(): RuleBody {
    const bare = (): RuleBody => ({ body: [this.statement()], closeRow: undefined });
    return this.isOp('{') ? this.either(() => this.wholeBody(), bare) : bare();
  }

  private bracedBody(): RuleBody {
    this.advance();
    return { body: this.body('}'), closeRow: this.previous.row };
  }

  /** Reads a body in braces, unless the braces are the beginning of a longer term such as `{1} == x`. */
  private wholeBody(): RuleBody {
    const body = this.bracedBody();
    const goesOn = (this.token.kind === 'op' && !this.isOp(';')) || this.isWord('in');
    if (goesOn && !this.onNewRow()) this.unexpected();
    return body;
  }

  private elses(): ElseBranch[] {
    const branches: ElseBranch[] = [];
    while (this.isWord('else')) {
      const loc = this.location();
      this.advance();
      const value = this.acceptOp(':=') || this.acceptOp('=') ? this.infix() : undefined;
      const { body, closeRow } = this.ruleBody();
      if (value === undefined && body === undefined) this.unexpected('else value or body');
      branches.push({ value, body, closeRow, loc });
    }
    return branches;
  }
}

/**
 * Returns a part of a term that a default rule cannot contain, because it needs an evaluation. Closures are allowed.
 */
function unfitForDefault(term: Term): Term | undefined {
  const first = (terms: readonly Term[]): Term | undefined => {
    for (const inner of terms) {
      const unfit = unfitForDefault(inner);
      if (unfit !== undefined) return unfit;
    }
    return undefined;
  };
  switch (term.kind) {
    case 'var':
    case 'ref':
    case 'call':
      return term;
    case 'array':
    case 'set':
      return first(term.items);
    case 'object':
      return first(term.entries.flat());
    default:
      return undefined;
  }
}

/** Returns whether a path element was written as `.name` instead of `["name"]`. */
function isField(text: string, term: Term): boolean {
  return term.kind === 'value' && typeof term.value === 'string' && text[term.loc.offset - 1] === '.';
}

/** Returns the message about the keywords that `p { … }` and `p[x] { … }` of the older grammar lack. */
function missingKeyword(head: Head | undefined): string {
  const [key, ...more] = head?.path ?? [];
  const isSet = key !== undefined && key.kind !== 'value' && more.length === 0 && head?.value === undefined;
  if (!isSet || head?.member !== undefined) return 'expected if keyword before the body of a rule';
  return 'expected contains keyword in place of brackets around a member, and if keyword before the body of a rule';
}
