import { NumberRangeError, parseNumber } from '../values/decimal.js';
import type { Value } from '../values/value.js';
import type { CallTerm, Expr, Location, RefTerm, Term, VarTerm } from './ast.js';
import { SyntaxFault } from './fault.js';
import type { TemplatePart, Token } from './lexer.js';
import { isKeyword, TokenStream } from './stream.js';

const RELATIONS: Record<string, string> = {
  '==': 'equal',
  '!=': 'neq',
  '<': 'lt',
  '>': 'gt',
  '<=': 'lte',
  '>=': 'gte',
};
const SUMS: Record<string, string> = { '+': 'plus', '-': 'minus' };
const PRODUCTS: Record<string, string> = { '*': 'mul', '/': 'div', '%': 'rem' };
const CONSTANTS: Record<string, Value> = { true: true, false: false, null: null };

/** Parses terms: literals, references, calls, operators, collections, comprehensions. */
export abstract class TermParser extends TokenStream {
  private wildcards = 0;

  protected abstract body(close: string): readonly Expr[];
  protected abstract subParser(part: Exclude<TemplatePart, string>, loc: Location): Expr;

  /** Reads a whole expression. `in` has the lowest precedence. */
  protected infix(): Term {
    return this.nested(() => this.membership(() => this.union()));
  }

  /**
   * Like `infix`, and also reads `key, value in collection`, which is allowed inside parentheses and as a statement.
   */
  protected infixWithPair(): Term {
    const first = this.infix();
    if (!this.isOp(',')) return first;
    const start = this.at;
    this.advance();
    const second = this.relation(() => this.union());
    if (!this.acceptWord('in')) {
      this.at = start;
      return first;
    }
    const domain = this.relation(() => this.union());
    return call('internal.member_3', [first, second, domain], first.loc);
  }

  /** Reads `item in collection`. `operand` reads the comparisons on both sides. */
  private membership(operand: () => Term): Term {
    let left = this.relation(operand);
    while (this.acceptWord('in')) left = call('internal.member_2', [left, this.relation(operand)], left.loc);
    return left;
  }

  protected relation(operand: () => Term): Term {
    return this.chain(operand, RELATIONS);
  }

  protected union(): Term {
    return this.chain(() => this.intersection(), { '|': 'or' });
  }

  private intersection(): Term {
    return this.chain(() => this.sum(), { '&': 'and' });
  }

  private sum(): Term {
    return this.chain(() => this.chain(() => this.term(), PRODUCTS), SUMS);
  }

  private chain(operand: () => Term, operators: Readonly<Record<string, string>>): Term {
    let left = operand();
    for (let links = 0; this.token.kind === 'op'; links++) {
      const name = operators[this.token.text];
      if (name === undefined) break;
      if (links > 500) this.fail('expression is too long');
      this.advance();
      left = call(name, [left, operand()], left.loc);
    }
    return left;
  }

  protected term(): Term {
    return this.nested(() => this.suffixes(this.primary()));
  }

  private primary(): Term {
    const token = this.token;
    const loc = this.location();
    switch (token.kind) {
      case 'number':
        return this.number('');
      case 'string':
        this.advance();
        return { kind: 'value', value: token.text, loc, source: this.text.slice(token.offset, token.end) };
      case 'template':
        return this.template();
      case 'name':
        return this.name();
      case 'op':
        return this.bracketed();
      default:
        return this.unexpected();
    }
  }

  private number(sign: string): Term {
    const loc = this.location(sign === '' ? this.token : this.previous);
    const token = this.advance();
    try {
      const value = parseNumber(sign + token.text);
      if (value !== undefined) return { kind: 'value', value, loc, source: sign + token.text };
    } catch (error) {
      if (!(error instanceof NumberRangeError)) throw error;
    }
    return this.fail('number is too large', token);
  }

  private name(): Term {
    const token = this.token;
    const loc = this.location();
    const reference = this.headsReference();
    if (!reference && Object.hasOwn(CONSTANTS, token.text)) {
      this.advance();
      return { kind: 'value', value: CONSTANTS[token.text] as Value, loc };
    }
    const callable = token.text === 'contains' && this.peek().text === '(' && this.peek().offset === token.end;
    if (isKeyword(token.text) && !reference && !callable) this.unexpected();
    this.advance();
    if (token.text === 'set' && this.isOp('(') && this.peek().text === ')' && this.peek().kind === 'op') {
      this.at += 2;
      return { kind: 'set', items: [], loc, end: this.location(this.previous) };
    }
    return { kind: 'var', name: token.text === '_' ? this.wildcard() : token.text, loc };
  }

  /** Returns a new variable for each `_`. */
  private wildcard(): string {
    return `$${this.wildcards++}`;
  }

  private bracketed(): Term {
    const token = this.token;
    if (this.acceptOp('-')) {
      if (this.token.kind === 'number' && this.adjoins()) return this.number('-');
      this.fail('unexpected minus token: expected number', token);
    }
    if (this.acceptOp('(')) {
      const inner = this.infixWithPair();
      this.expectOp(')');
      return inner;
    }
    if (this.isOp('[')) return this.array();
    if (this.isOp('{')) return this.braces();
    return this.unexpected();
  }

  /** Reads `.name`, `[term]` and `(arguments)` that directly follow a term. */
  private suffixes(head: Term): Term {
    let result = head;
    let path: Term[] = [];
    const finish = (): Term => {
      if (path.length === 0) return result;
      const ref: RefTerm = { kind: 'ref', head: result, path, loc: result.loc };
      return ref;
    };
    while (this.token.kind === 'op' && this.adjoins()) {
      if (this.isOp('.')) {
        this.advance();
        path.push(this.field());
      } else if (this.isOp('[')) {
        this.checkIndexable(result);
        this.advance();
        path.push(this.infix());
        this.expectOp(']');
      } else if (this.isOp('(')) {
        result = this.callOf(finish());
        path = [];
      } else break;
    }
    return finish();
  }

  private checkIndexable(term: Term): void {
    if (term.kind === 'value') this.unexpected();
  }

  private field(): Term {
    if (this.token.kind !== 'name' || !this.adjoins()) this.unexpected('identifier');
    const token = this.advance();
    return { kind: 'value', value: token.text, loc: this.location(token) };
  }

  private callOf(callee: Term): CallTerm {
    const name = calleeName(callee);
    if (name === undefined || (callee.kind !== 'ref' && callee.kind !== 'var')) {
      return this.fail('only a name can be called');
    }
    this.expectOp('(');
    const args = this.list(')', () => this.infix());
    return { kind: 'call', name, ref: callee, args, loc: callee.loc };
  }

  /** Reads items up to `close`. A trailing comma is allowed. */
  protected list(close: string, item: () => Term): Term[] {
    const items: Term[] = [];
    while (!this.isOp(close)) {
      items.push(item());
      if (!this.acceptOp(',')) break;
    }
    this.expectOp(close);
    return items;
  }

  private restOfList(first: Term, close: string): Term[] {
    return this.acceptOp(',') ? [first, ...this.list(close, () => this.infix())] : (this.expectOp(close), [first]);
  }

  private array(): Term {
    const loc = this.location();
    this.advance();
    if (this.acceptOp(']')) return { kind: 'array', items: [], loc, end: this.location(this.previous) };
    const items = (first: Term): Term => ({
      kind: 'array',
      items: this.restOfList(first, ']'),
      loc,
      end: this.location(this.previous),
    });
    return this.comprehensionOr(']', (term, body) => ({ kind: 'arraycomp', term, body, loc }), items);
  }

  private braces(): Term {
    const loc = this.location();
    this.advance();
    if (this.acceptOp('}')) return { kind: 'object', entries: [], loc, end: this.location(this.previous) };
    const items = (first: Term): Term => {
      if (this.isOp(':')) return this.object(first, loc);
      return { kind: 'set', items: this.restOfList(first, '}'), loc, end: this.location(this.previous) };
    };
    return this.comprehensionOr('}', (term, body) => ({ kind: 'setcomp', term, body, loc }), items);
  }

  private object(firstKey: Term, loc: Location): Term {
    this.expectOp(':');
    const rest = (firstValue: Term): Term => {
      const entries: [Term, Term][] = [[firstKey, firstValue]];
      while (this.acceptOp(',')) {
        if (this.isOp('}')) break;
        const key = this.infix();
        this.expectOp(':');
        entries.push([key, this.infix()]);
      }
      this.expectOp('}');
      return { kind: 'object', entries, loc, end: this.location(this.previous) };
    };
    return this.comprehensionOr('}', (value, body) => ({ kind: 'objectcomp', key: firstKey, value, body, loc }), rest);
  }

  /**
   * In `[a | b]`, the bar begins the body of a comprehension if it can be parsed that way; otherwise it means a union.
   */
  private comprehensionOr(
    close: string,
    comprehension: (term: Term, body: readonly Expr[]) => Term,
    items: (first: Term) => Term,
  ): Term {
    const start = this.at;
    const head = this.nested(() => this.membership(() => this.intersection()));
    if (!this.isOp('|')) return items(head);
    return this.either(
      () => {
        this.advance();
        return comprehension(head, this.body(close));
      },
      () => {
        this.at = start;
        return items(this.infix());
      },
    );
  }

  private template(): Term {
    const token: Token = this.advance();
    const loc = this.location(token);
    const parts = token.parts.map((part) => (typeof part === 'string' ? part : this.embedded(part, loc)));
    return {
      kind: 'template',
      parts: parts.filter((part) => part !== ''),
      source: this.text.slice(token.offset, token.end),
      loc,
    };
  }

  private embedded(part: Exclude<TemplatePart, string>, loc: Location): Expr {
    return this.nested(() => this.subParser(part, positionAt(this.text, part.start, loc)));
  }
}

function positionAt(text: string, offset: number, from: Location): Location {
  let { row } = from;
  let lineStart = from.offset - from.col + 1;
  for (let at = text.indexOf('\n', from.offset); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) {
    row++;
    lineStart = at + 1;
  }
  return { row, col: offset - lineStart + 1, offset, file: from.file };
}

export function call(name: string, args: readonly Term[], loc: Location): CallTerm {
  return { kind: 'call', name, args, loc };
}

function calleeName(callee: Term): string | undefined {
  if (callee.kind === 'var') return callee.name;
  if (callee.kind !== 'ref' || callee.head.kind !== 'var') return undefined;
  const names = [callee.head.name];
  for (const part of callee.path) {
    if (part.kind !== 'value' || typeof part.value !== 'string') return undefined;
    names.push(part.value);
  }
  return names.join('.');
}

export function requireVar(term: Term): VarTerm {
  if (term.kind !== 'var') throw new SyntaxFault('unexpected term: expected var', term.loc);
  return term;
}
