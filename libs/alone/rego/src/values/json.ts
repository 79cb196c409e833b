import { RegoInputError } from '../errors.js';
import { parseNumber } from './decimal.js';
import { RegoObject } from './value.js';
import type { Value } from './value.js';

/** A text is not JSON: an input of the host, or an argument of a builtin. */
export class JsonSyntaxError extends RegoInputError {}

const MAX_NESTING = 512;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const PLAIN_STRING = /[^"\\\u0000-\u001f]*/y;

const LONE_SURROGATE = /\p{Surrogate}/gu;

/** Parses JSON text without losing digits of numbers. */
export function parseJson(text: string): Value {
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  value(depth: number): Value {
    if (depth > MAX_NESTING) throw new JsonSyntaxError('JSON is nested too deeply');
    this.space();
    const char = this.text[this.at];
    switch (char) {
      case '{':
        return this.object(depth);
      case '[':
        return this.array(depth);
      case '"':
        return this.string();
      case 't':
        return this.word('true', true);
      case 'f':
        return this.word('false', false);
      case 'n':
        return this.word('null', null);
      default:
        return this.number();
    }
  }

  end(): void {
    this.space();
    if (this.at < this.text.length) this.fail('after top-level value');
  }

  /** `where`: what was being read or expected, with the wording of Go's decoder. */
  private fail(where: string): never {
    const code = this.text.codePointAt(this.at);
    if (code === undefined) throw new JsonSyntaxError(/\S/.test(this.text) ? 'unexpected EOF' : 'EOF');
    const char = String.fromCodePoint(code);
    throw new JsonSyntaxError(`invalid character ${char === "'" ? `'\\''` : `'${char}'`} ${where}`);
  }

  private space(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return;
      this.at++;
    }
  }

  private expect(char: string, where: string): void {
    this.space();
    if (this.text[this.at] !== char) this.fail(where);
    this.at++;
  }

  /** Consumes `char` if it is the next character. */
  private accept(char: string): boolean {
    this.space();
    if (this.text[this.at] !== char) return false;
    this.at++;
    return true;
  }

  private word(word: string, value: Value): Value {
    for (const char of word) {
      if (this.text[this.at] !== char) this.fail(`in literal ${word} (expecting '${char}')`);
      this.at++;
    }
    return value;
  }

  private number(): Value {
    NUMBER.lastIndex = this.at;
    const match = NUMBER.exec(this.text);
    if (match === null) this.fail('looking for beginning of value');
    this.at += match[0].length;
    const value = parseNumber(match[0]);
    return value === undefined ? this.fail('in numeric literal') : value;
  }

  private string(): string {
    const start = this.at++;
    for (;;) {
      PLAIN_STRING.lastIndex = this.at;
      this.at += PLAIN_STRING.exec(this.text)?.[0].length ?? 0;
      const char = this.text[this.at];
      if (char === '"') break;
      if (char !== '\\') this.fail('in string literal');
      this.at += 2;
    }
    this.at++;
    const literal = this.text.slice(start, this.at);
    try {
      const text = JSON.parse(literal) as string;
      return literal.includes('\\u') ? text.replace(LONE_SURROGATE, '\ufffd') : text;
    } catch {
      throw new JsonSyntaxError('invalid character in string escape code');
    }
  }

  private array(depth: number): Value {
    this.at++;
    const items: Value[] = [];
    if (this.accept(']')) return items;
    do items.push(this.value(depth + 1));
    while (this.accept(','));
    this.expect(']', 'after array element');
    return items;
  }

  private object(depth: number): Value {
    this.at++;
    const entries: [Value, Value][] = [];
    if (this.accept('}')) return new RegoObject();
    do {
      this.space();
      if (this.text[this.at] !== '"') this.fail('looking for beginning of object key string');
      const key = this.string();
      this.expect(':', 'after object key');
      entries.push([key, this.value(depth + 1)]);
    } while (this.accept(','));
    this.expect('}', 'after object key:value pair');
    return new RegoObject(entries);
  }
}
