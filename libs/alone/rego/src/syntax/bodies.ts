import type { Expr, Location, Term, VarTerm, With } from './ast.js';
import { Lexer } from './lexer.js';
import type { TemplatePart } from './lexer.js';
import { call, requireVar, TermParser } from './terms.js';

const NO_WITH: readonly With[] = [];

/** Parses the statements of bodies and queries. */
export class BodyParser extends TermParser {
  /** Reads statements up to `close`, which is consumed. An empty body is a fault. */
  protected body(close: string): readonly Expr[] {
    const statements = this.nested(() => this.statements(close));
    this.expectOp(close);
    return statements;
  }

  protected statements(close: string | undefined): Expr[] {
    const ended = (): boolean => (close === undefined ? this.token.kind === 'end' : this.isOp(close));
    const statements: Expr[] = [];
    if (ended()) this.fail('found empty body');
    while (!ended()) {
      statements.push(this.statement());
      if (ended()) break;
      const separated = this.acceptOp(';');
      if (!separated && !this.onNewRow()) this.unexpected(`\\n or ; or ${close ?? 'end of query'}`);
      while (this.acceptOp(';'));
    }
    return statements;
  }

  protected statement(): Expr {
    const loc = this.location();
    if (this.isWord('some')) return this.some(loc);
    if (this.isWord('every')) return this.every(loc);
    const negated = this.acceptWord('not');
    if (negated && this.isWord('not')) this.unexpected();
    const term = this.equation();
    return { kind: 'term', term, negated, with: this.modifiers(), loc };
  }

  /** Reads a term, or two terms joined by `=` or `:=`. */
  private equation(): Term {
    const left = this.infixWithPair();
    const loc = left.loc;
    if (this.acceptOp('=')) return call('eq', [left, this.infix()], loc);
    if (this.acceptOp(':=')) return call('assign', [left, this.infix()], loc);
    return left;
  }

  private modifiers(): readonly With[] {
    if (!this.isWord('with')) return NO_WITH;
    const modifiers: With[] = [];
    while (this.isWord('with')) {
      const loc = this.location();
      this.advance();
      const target = this.term();
      if (!this.acceptWord('as')) this.unexpected('as keyword');
      modifiers.push({ target, value: this.infix(), loc });
    }
    return modifiers;
  }

  private some(loc: Location): Expr {
    this.advance();
    const symbols = [this.term()];
    while (this.acceptOp(',')) symbols.push(this.term());
    const [first, second, extra] = symbols;
    if (this.acceptWord('in') && first !== undefined) {
      if (extra !== undefined) this.fail('expected one or two terms before in');
      const domain = this.infix();
      const pair = second === undefined ? { key: undefined, value: first } : { key: first, value: second };
      return { kind: 'somein', ...pair, domain, with: this.modifiers(), loc };
    }
    return { kind: 'some', vars: symbols.map(requireVar), with: this.modifiers(), loc };
  }

  private every(loc: Location): Expr {
    this.advance();
    const first = requireVar(this.term());
    const second: VarTerm | undefined = this.acceptOp(',') ? requireVar(this.term()) : undefined;
    if (!this.acceptWord('in')) this.unexpected('in keyword');
    const domain = this.infix();
    this.expectOp('{');
    const body = this.body('}');
    const closeRow = this.previous.row;
    const vars = second === undefined ? { key: undefined, value: first } : { key: first, value: second };
    return { kind: 'every', ...vars, domain, body, closeRow, with: this.modifiers(), loc };
  }

  protected subParser(part: Exclude<TemplatePart, string>, loc: Location): Expr {
    const { tokens } = new Lexer(this.text, this.file, loc, part.end).run();
    const inner = new BodyParser(tokens, this.text, this.file);
    inner.nesting = this.nesting;
    return inner.single();
  }

  /** Reads one statement that is the whole text. */
  single(): Expr {
    if (this.ended()) this.fail('found empty template expression');
    const statement = this.statement();
    if (!this.ended()) this.unexpected('end of expression');
    if (statement.kind !== 'term' || statement.negated) this.fail('only a term can stand in a template', this.previous);
    return statement;
  }

  /** Reads a query: one or more statements. */
  query(): readonly Expr[] {
    return this.statements(undefined);
  }
}
