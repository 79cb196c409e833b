import type { Location } from './ast.js';
import { SyntaxFault } from './fault.js';
import type { Token } from './lexer.js';

const KEYWORDS = new Set([
  'as',
  'contains',
  'default',
  'else',
  'every',
  'false',
  'if',
  'import',
  'in',
  'not',
  'null',
  'package',
  'some',
  'true',
  'with',
]);

/** Maximum nesting depth of terms and bodies. Deeper nesting is reported as a fault, to avoid a stack overflow. */
const MAX_NESTING = 200;
const MAX_BACKTRACKS = 64;

export function isKeyword(name: string): boolean {
  return KEYWORDS.has(name);
}

/** The tokens of a module and the position in them. */
export class TokenStream {
  protected at = 0;
  protected nesting = 0;
  private backtracks = 0;

  constructor(
    protected readonly tokens: readonly Token[],
    protected readonly text: string,
    protected readonly file: string,
  ) {}

  protected get token(): Token {
    return this.tokens[this.at] as Token;
  }

  protected get previous(): Token {
    return this.tokens[Math.max(0, this.at - 1)] as Token;
  }

  protected peek(distance = 1): Token {
    return this.tokens[Math.min(this.at + distance, this.tokens.length - 1)] as Token;
  }

  protected location(token: Token = this.token): Location {
    return { row: token.row, col: token.col, offset: token.offset, file: this.file };
  }

  protected fail(message: string, token: Token = this.token): never {
    throw new SyntaxFault(message, this.location(token));
  }

  protected unexpected(expected?: string): never {
    const token = this.token;
    const found =
      token.kind === 'end' ? 'end of file' : token.kind === 'op' ? `${token.text} token` : this.describe(token);
    this.fail(`unexpected ${found}${expected === undefined ? '' : `: expected ${expected}`}`);
  }

  private describe(token: Token): string {
    if (token.kind === 'string' || token.kind === 'template') return 'string token';
    if (token.kind === 'number') return 'number token';
    return isKeyword(token.text) ? `${token.text} keyword` : `identifier ${token.text}`;
  }

  protected advance(): Token {
    const token = this.token;
    if (token.kind !== 'end') this.at++;
    return token;
  }

  protected ended(): boolean {
    return this.token.kind === 'end';
  }

  protected isOp(text: string): boolean {
    return this.token.kind === 'op' && this.token.text === text;
  }

  protected acceptOp(text: string): boolean {
    if (!this.isOp(text)) return false;
    this.at++;
    return true;
  }

  protected expectOp(text: string): Token {
    if (!this.isOp(text)) this.unexpected(text);
    return this.advance();
  }

  /** Returns whether the current token is this keyword. As the head of a reference (`some.x`), it is a name instead. */
  protected isWord(word: string): boolean {
    return this.token.kind === 'name' && this.token.text === word && !this.headsReference();
  }

  protected acceptWord(word: string): boolean {
    if (!this.isWord(word)) return false;
    this.at++;
    return true;
  }

  /** Returns whether the current token is directly followed by `.` and a name. */
  protected headsReference(): boolean {
    const dot = this.peek();
    const name = this.peek(2);
    return (
      dot.kind === 'op' &&
      dot.text === '.' &&
      dot.offset === this.token.end &&
      name.kind === 'name' &&
      name.offset === dot.end
    );
  }

  /** Returns whether the current token begins where the previous one ended. */
  protected adjoins(): boolean {
    return this.token.offset === this.previous.end;
  }

  protected onNewRow(): boolean {
    return this.token.row > this.previous.endRow;
  }

  protected nested<T>(parse: () => T): T {
    if (++this.nesting > MAX_NESTING) this.fail('expression is nested too deeply');
    const result = parse();
    this.nesting--;
    return result;
  }

  /**
   * Tries `first`. If it fails, reads the same tokens with `second`. If both fail, reports the fault with the later
   * position.
   */
  protected either<T>(first: () => T, second: () => T): T {
    const start = this.at;
    const nesting = this.nesting;
    try {
      return first();
    } catch (fault) {
      if (!(fault instanceof SyntaxFault) || ++this.backtracks > MAX_BACKTRACKS) throw fault;
      this.at = start;
      this.nesting = nesting;
      try {
        return second();
      } catch (other) {
        throw other instanceof SyntaxFault && other.loc.offset > fault.loc.offset ? other : fault;
      }
    }
  }
}
