import type { CallTerm, Expr, RefTerm, Term } from '../syntax/ast.js';
import { valueText } from '../values/text.js';
import type { Output } from './output.js';

const OPERATORS: Readonly<Record<string, readonly [string, number]>> = {
  'internal.member_2': ['in', 1],
  equal: ['==', 2],
  neq: ['!=', 2],
  lt: ['<', 2],
  gt: ['>', 2],
  lte: ['<=', 2],
  gte: ['>=', 2],
  or: ['|', 3],
  and: ['&', 4],
  plus: ['+', 5],
  minus: ['-', 5],
  mul: ['*', 6],
  div: ['/', 6],
  rem: ['%', 6],
};
const EQUATIONS: Readonly<Record<string, string>> = { eq: '=', assign: ':=' };

export type WriteBody = (body: readonly Expr[]) => void;

/** Writes terms. The caller provides `writeStatement`, because closures contain statements. */
export class TermWriter {
  constructor(
    private readonly out: Output,
    private readonly writeStatement: (expr: Expr) => void,
  ) {}

  term(term: Term): void {
    switch (term.kind) {
      case 'value':
        this.out.write(term.source ?? valueText(term.value));
        break;
      case 'var':
        this.out.write(variableName(term.name));
        break;
      case 'ref':
        this.ref(term);
        break;
      case 'call':
        this.call(term);
        break;
      case 'template':
        this.out.write(term.source);
        break;
      case 'array':
        this.collection('[', term.items, ']', term);
        break;
      case 'set':
        if (term.items.length === 0) this.out.write('set()');
        else this.collection('{', term.items, '}', term);
        break;
      case 'object':
        this.object(term);
        break;
      default:
        this.comprehension(term);
    }
  }

  private ref(term: RefTerm): void {
    this.operand(term.head);
    for (const part of term.path) this.refPart(part);
  }

  refPart(part: Term): void {
    if (part.kind === 'value' && typeof part.value === 'string' && part.source === undefined) {
      this.out.write(`.${part.value}`);
      return;
    }
    this.out.write('[');
    this.term(part);
    this.out.write(']');
  }

  /** Writes an operand. Operators in the head of a reference are written in parentheses. */
  private operand(term: Term): void {
    if (term.kind === 'call' && precedence(term) !== undefined) this.bracketed(term);
    else this.term(term);
  }

  private bracketed(term: Term): void {
    this.out.write('(');
    this.statementTerm(term);
    this.out.write(')');
  }

  /** Writes a term that is a statement or is in parentheses, where pairs before `in` need no parentheses. */
  statementTerm(term: Term): void {
    const equation = term.kind === 'call' && term.ref === undefined ? EQUATIONS[term.name] : undefined;
    if (term.kind === 'call' && equation !== undefined) {
      this.term(term.args[0] as Term);
      this.out.write(` ${equation} `);
      this.term(term.args[1] as Term);
    } else if (term.kind === 'call' && term.name === 'internal.member_3' && term.ref === undefined) {
      this.member3(term);
    } else this.term(term);
  }

  private member3(term: CallTerm): void {
    const [key, value, domain] = term.args as [Term, Term, Term];
    this.infixOperand(key, 2);
    this.out.write(', ');
    this.infixOperand(value, 2);
    this.out.write(' in ');
    this.infixOperand(domain, 2);
  }

  private call(term: CallTerm): void {
    const operator = term.ref === undefined ? OPERATORS[term.name] : undefined;
    if (operator !== undefined && term.args.length === 2) {
      const [symbol, level] = operator;
      this.infixOperand(term.args[0] as Term, level);
      this.out.write(` ${symbol} `);
      this.infixOperand(term.args[1] as Term, level + 1);
      return;
    }
    if (term.ref === undefined && term.name === 'internal.member_3') {
      this.bracketed(term);
      return;
    }
    if (term.ref === undefined) this.out.write(term.name);
    else this.term(term.ref);
    this.collection('(', term.args, ')', undefined);
  }

  private infixOperand(term: Term, level: number): void {
    const own = precedence(term);
    if (own !== undefined && own < level) this.bracketed(term);
    else this.term(term);
  }

  /** Writes an item. A union is put in parentheses, because a bar inside brackets would begin a comprehension. */
  private item(term: Term): void {
    if (hasOpenUnion(term)) this.bracketed(term);
    else this.term(term);
  }

  private collection(
    open: string,
    items: readonly Term[],
    close: string,
    extent: { loc: { row: number }; end?: { row: number } } | undefined,
  ): void {
    this.spread(
      open,
      items,
      close,
      extent,
      (item) => item.loc.row,
      (item) => this.item(item),
    );
  }

  private object(term: Extract<Term, { kind: 'object' }>): void {
    this.spread(
      '{',
      term.entries,
      '}',
      term,
      ([key]) => key.loc.row,
      ([key, value]) => {
        this.item(key);
        this.out.write(': ');
        this.item(value);
      },
    );
  }

  /** Writes items on one line if they were on one line; otherwise each on its own line, with a comma after the last. */
  private spread<T>(
    open: string,
    items: readonly T[],
    close: string,
    extent: { loc: { row: number }; end?: { row: number } } | undefined,
    rowOf: (item: T) => number,
    write: (item: T) => void,
  ): void {
    const { out } = this;
    const multiline = extent?.end !== undefined && extent.end.row > extent.loc.row && items.length > 0;
    out.write(open);
    if (!multiline) {
      items.forEach((item, at) => {
        if (at > 0) out.write(', ');
        write(item);
      });
      out.write(close);
      return;
    }
    out.endLine(extent.loc.row);
    out.indented(() => {
      for (const [at, item] of items.entries()) {
        out.commentsBefore(rowOf(item));
        write(item);
        out.write(',');
        const next = items[at + 1];
        out.endLine(next === undefined ? rowOf(item) : Math.min(rowOf(item), rowOf(next)));
      }
      out.commentsBefore(extent.end?.row ?? 0);
    });
    out.write(close);
  }

  private comprehension(term: Extract<Term, { kind: 'arraycomp' | 'setcomp' | 'objectcomp' }>): void {
    const { out } = this;
    out.write(term.kind === 'arraycomp' ? '[' : '{');
    if (term.kind === 'objectcomp') {
      this.item(term.key);
      out.write(': ');
      this.item(term.value);
    } else this.item(term.term);
    out.write(' | ');
    const first = term.body[0];
    const last = term.body[term.body.length - 1];
    if (
      first !== undefined &&
      last !== undefined &&
      (last.loc.row > term.loc.row || out.hasCommentBetween(term.loc.row, last.loc.row))
    ) {
      out.newline();
      out.indented(() => {
        for (const expr of term.body) {
          out.commentsBefore(expr.loc.row);
          this.writeStatement(expr);
          out.endLine(expr.loc.row);
        }
      });
    } else {
      term.body.forEach((expr, at) => {
        if (at > 0) out.write('; ');
        this.writeStatement(expr);
      });
    }
    out.write(term.kind === 'arraycomp' ? ']' : '}');
  }
}

function variableName(name: string): string {
  return name.startsWith('$') ? '_' : name;
}

function precedence(term: Term): number | undefined {
  if (term.kind !== 'call' || term.ref !== undefined) return undefined;
  if (term.name === 'internal.member_3') return 0;
  return OPERATORS[term.name]?.[1];
}

/** Returns whether the term contains a union without parentheses. */
function hasOpenUnion(term: Term): boolean {
  const level = precedence(term);
  if (term.kind !== 'call' || level === undefined || level === 0) return false;
  if (term.name === 'or') return true;
  return term.args.some((arg, at) => {
    const own = precedence(arg);
    return own !== undefined && own >= (at === 0 ? level : level + 1) && hasOpenUnion(arg);
  });
}
