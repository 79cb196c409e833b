import { GraphqlError } from './ast.js';
import type { Position } from './ast.js';

export interface Token extends Position {
  readonly kind: 'name' | 'int' | 'float' | 'string' | 'block' | 'punctuator' | 'end' | 'invalid';
  readonly text: string;
}

const IGNORED = /(?:[\s,\ufeff]|#[^\n\r]*)*/y;
const TOKEN =
  /(?<name>[_A-Za-z]\w*)|(?<float>-?(?:0|[1-9]\d*)(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+))|(?<int>-?(?:0|[1-9]\d*))|(?<punctuator>\.\.\.|[!$&()[\]{}:=@|])/y;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

export class GraphqlLexer {
  private at = 0;
  private line = 1;
  private lineStart = 0;

  constructor(private readonly text: string) {}

  next(): Token {
    IGNORED.lastIndex = this.at;
    this.move(IGNORED.exec(this.text)?.[0].length ?? 0);
    const position = this.position();
    if (this.at >= this.text.length) return { kind: 'end', text: '', ...position };
    if (this.text.startsWith('"""', this.at)) return this.block(position);
    if (this.text[this.at] === '"') return this.string(position);
    TOKEN.lastIndex = this.at;
    const groups = TOKEN.exec(this.text)?.groups;
    for (const kind of ['name', 'float', 'int', 'punctuator'] as const) {
      const text = groups?.[kind];
      if (text === undefined) continue;
      this.move(text.length);
      return { kind, text, ...position };
    }
    const char = String.fromCodePoint(this.text.codePointAt(this.at) ?? 0);
    const fault =
      char === "'"
        ? `Unexpected single quote character ('), did you mean to use a double quote (")?`
        : `Cannot parse the unexpected character "${char}".`;
    throw new GraphqlError(fault, position, true);
  }

  private position(): Position {
    return { line: this.line, column: this.at - this.lineStart + 1 };
  }

  private move(length: number): void {
    for (const end = this.at + length; this.at < end; this.at++) {
      const char = this.text[this.at];
      if (char !== '\n' && !(char === '\r' && this.text[this.at + 1] !== '\n')) continue;
      this.line++;
      this.lineStart = this.at + 1;
    }
  }

  private string(position: Position): Token {
    let text = '';
    for (let at = this.at + 1; at < this.text.length; at++) {
      const char = this.text[at] ?? '';
      if (char === '"') {
        this.move(at + 1 - this.at);
        return { kind: 'string', text, ...position };
      }
      if (char === '\n' || char === '\r') break;
      if (char !== '\\') text += char;
      else {
        const escape = this.text[++at] ?? '';
        const code = /^u([0-9a-fA-F]{4})/.exec(this.text.slice(at, at + 5))?.[1];
        if (code !== undefined) {
          text += String.fromCharCode(parseInt(code, 16));
          at += 4;
        } else if (ESCAPES[escape] !== undefined) text += ESCAPES[escape];
        else throw new GraphqlError(`Invalid character escape sequence: \\${escape}.`, position, true);
      }
    }
    throw new GraphqlError('Unterminated string.', position, true);
  }

  private block(position: Position): Token {
    let end = this.at + 3;
    for (;;) {
      end = this.text.indexOf('"""', end);
      if (end < 0) {
        this.move(this.text.length - this.at);
        return { kind: 'invalid', text: '', ...this.position() };
      }
      if (this.text[end - 1] !== '\\') break;
      end += 3;
    }
    const raw = this.text.slice(this.at + 3, end).replaceAll('\\"""', '"""');
    this.move(end + 3 - this.at);
    return { kind: 'block', text: unindented(raw), ...position };
  }
}

/** Removes the common indentation, and blank lines at both ends, from a block string. */
function unindented(raw: string): string {
  const lines = raw.split(/\r\n|\n|\r/);
  const indents = lines
    .slice(1)
    .filter((line) => line.trim() !== '')
    .map((line) => line.length - line.trimStart().length);
  const common = indents.length === 0 ? 0 : Math.min(...indents);
  const stripped = lines.map((line, at) => (at === 0 ? line : line.slice(common)));
  while (stripped.length > 0 && (stripped[0] ?? '').trim() === '') stripped.shift();
  while (stripped.length > 0 && (stripped[stripped.length - 1] ?? '').trim() === '') stripped.pop();
  return stripped.join('\n');
}
