import type { Comment, Location } from './ast.js';
import { SyntaxFault } from './fault.js';
import { readEscape } from './strings.js';

export type TokenKind = 'name' | 'number' | 'string' | 'template' | 'op' | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** The text of a name, operator or number, or the contents of a string. */
  readonly text: string;
  readonly raw: boolean;
  readonly offset: number;
  readonly end: number;
  readonly row: number;
  readonly col: number;
  /** Row on which the token ends. */
  readonly endRow: number;
  readonly parts: readonly TemplatePart[];
}

/** Literal text, or the position of an embedded expression in the source. */
export type TemplatePart = string | { readonly start: number; readonly end: number };

const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const OPERATORS = [
  ':=',
  '==',
  '!=',
  '<=',
  '>=',
  '=',
  '<',
  '>',
  '+',
  '-',
  '*',
  '/',
  '%',
  '|',
  '&',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  ',',
  ';',
  ':',
  '.',
];
const NO_PARTS: readonly TemplatePart[] = [];

export interface Lexed {
  readonly tokens: readonly Token[];
  readonly comments: readonly Comment[];
}

/** Splits `text` (or the part of it from `start` to `end`) into tokens with positions in the whole text. */
export class Lexer {
  private at: number;
  private row: number;
  private lineStart: number;
  private readonly tokens: Token[] = [];
  private readonly comments: Comment[] = [];

  constructor(
    private readonly text: string,
    private readonly file: string,
    start: Location = { row: 1, col: 1, offset: 0, file },
    private readonly limit: number = text.length,
  ) {
    this.at = start.offset;
    this.row = start.row;
    this.lineStart = start.offset - start.col + 1;
    if (this.at === 0 && text.charCodeAt(0) === 0xfeff) this.at = 1;
  }

  run(): Lexed {
    while (this.next());
    return { tokens: this.tokens, comments: this.comments };
  }

  private location(offset = this.at): Location {
    return { row: this.row, col: offset - this.lineStart + 1, offset, file: this.file };
  }

  private fail(message: string, offset = this.at): never {
    throw new SyntaxFault(message, this.location(offset));
  }

  private newline(): void {
    this.at++;
    this.row++;
    this.lineStart = this.at;
  }

  private skipSpace(): void {
    while (this.at < this.limit) {
      const char = this.text[this.at];
      if (char === '\n') this.newline();
      else if (char === ' ' || char === '\t' || char === '\r') this.at++;
      else if (char === '#') this.comment();
      else return;
    }
  }

  private comment(): void {
    let end = this.text.indexOf('\n', this.at);
    if (end < 0 || end > this.limit) end = this.limit;
    const text = this.text.slice(this.at, end).replace(/\r$/, '');
    this.comments.push({ text, row: this.row, col: this.at - this.lineStart + 1 });
    this.at = end;
  }

  private next(): boolean {
    this.skipSpace();
    if (this.at >= this.limit) {
      this.push('end', '', this.location());
      return false;
    }
    const char = this.text[this.at] ?? '';
    if (/[A-Za-z_]/.test(char)) this.match(NAME, 'name');
    else if (/[0-9]/.test(char)) this.number();
    else if (char === '"') this.string(false);
    else if (char === '`') this.rawString(false);
    else if (char === '$') this.template();
    else this.operator();
    return true;
  }

  private push(
    kind: TokenKind,
    text: string,
    start: Location,
    raw = false,
    parts: readonly TemplatePart[] = NO_PARTS,
  ): void {
    const { offset, row, col } = start;
    this.tokens.push({ kind, text, raw, offset, end: this.at, row, col, endRow: this.row, parts });
  }

  private match(pattern: RegExp, kind: TokenKind): void {
    pattern.lastIndex = this.at;
    const text = pattern.exec(this.text)?.[0] ?? '';
    const start = this.location();
    this.at += text.length;
    this.push(kind, text, start);
  }

  private number(): void {
    const { offset } = this.location();
    this.match(NUMBER, 'number');
    if (/[A-Za-z0-9_]/.test(this.text[this.at] ?? '')) this.fail('illegal number format', offset);
  }

  private operator(): void {
    const operator = OPERATORS.find((candidate) => this.text.startsWith(candidate, this.at));
    if (operator === undefined) this.fail(`illegal token ${JSON.stringify(this.text[this.at] ?? '')}`);
    const start = this.location();
    this.at += operator.length;
    this.push('op', operator, start);
  }

  private template(): void {
    const quote = this.text[this.at + 1];
    if (quote === '"') this.string(true);
    else if (quote === '`') this.rawString(true);
    else this.fail('illegal token "$"');
  }

  private string(template: boolean): void {
    const start = this.location();
    this.at += template ? 2 : 1;
    const parts: TemplatePart[] = [];
    let text = '';
    for (;;) {
      const char = this.at < this.limit ? this.text[this.at] : undefined;
      if (char === undefined || char === '\n') this.fail('non-terminated string', start.offset);
      if (char === '"') break;
      if (char === '\\') text += this.escape(template);
      else if (char === '{' && template) {
        parts.push(text, this.embedded());
        text = '';
      } else {
        text += char;
        this.at++;
      }
    }
    this.at++;
    if (template) parts.push(text);
    this.push(template ? 'template' : 'string', text, start, false, parts);
  }

  private escape(template: boolean): string {
    if (template && /[{}]/.test(this.text[this.at + 1] ?? '')) {
      this.at += 2;
      return this.text[this.at - 1] ?? '';
    }
    const escape = readEscape(this.text, this.at);
    if (escape === undefined) this.fail('illegal escape sequence in string');
    this.at = escape.end;
    return escape.text;
  }

  private rawString(template: boolean): void {
    const start = this.location();
    this.at += template ? 2 : 1;
    const parts: TemplatePart[] = [];
    let text = '';
    for (;;) {
      const char = this.at < this.limit ? this.text[this.at] : undefined;
      if (char === undefined) {
        throw new SyntaxFault('non-terminated raw string', start);
      }
      if (char === '`') break;
      if (template && char === '\\' && this.text[this.at + 1] === '{') {
        text += '{';
        this.at += 2;
      } else if (template && char === '{') {
        parts.push(text, this.embedded());
        text = '';
      } else {
        text += char;
        if (char === '\n') this.newline();
        else this.at++;
      }
    }
    this.at++;
    if (template) parts.push(text);
    this.push(template ? 'template' : 'string', text, start, true, parts);
  }

  /** Skips `{…}` inside a template string, including nested braces and strings. */
  private embedded(): TemplatePart {
    const start = this.location(this.at + 1);
    const inner = new EmbeddedScan(this.text, this.limit);
    const close = inner.findClose(start.offset);
    if (close === undefined) this.fail('non-terminated template expression');
    while (this.at < close) {
      if (this.text[this.at] === '\n') this.newline();
      else this.at++;
    }
    this.at++;
    return { start: start.offset, end: close };
  }
}

class EmbeddedScan {
  constructor(
    private readonly text: string,
    private readonly limit: number,
  ) {}

  /**
   * Returns the offset of the brace that closes the brace before `from`. Uses a stack of open delimiters instead of
   * recursion, so that the depth is not limited.
   */
  findClose(from: number): number | undefined {
    const open: string[] = ['{'];
    for (let at = from; at < this.limit; at++) {
      const char = this.text[at] ?? '';
      const inside = open[open.length - 1] ?? '';
      if (inside === '"' || inside === '`') {
        if (char === inside) open.pop();
        else if (char === '\\' && inside === '"') at++;
      } else if (inside === '$"' || inside === '$`') {
        if (char === inside[1]) open.pop();
        else if (char === '\\') at++;
        else if (char === '{') open.push('{');
      } else if (char === '$' && (this.text[at + 1] === '"' || this.text[at + 1] === '`')) {
        open.push(`$${this.text[++at] ?? ''}`);
      } else if (char === '"' || char === '`' || char === '{') open.push(char);
      else if (char === '#') {
        const end = this.text.indexOf('\n', at);
        at = end < 0 ? this.limit : end;
      } else if (char === '}') {
        open.pop();
        if (open.length === 0) return at;
      }
    }
    return undefined;
  }
}
