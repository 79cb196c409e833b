import type { Run } from '../evaluate/run.js';
import type { Value } from '../values/value.js';
import { operandError, stringItems, stringOperand, typeError } from './operands.js';
import { compilePattern, matches } from './regex.js';
import { BuiltinError } from './types.js';
import type { BuiltinTable } from './types.js';

function delimitersOf(args: readonly Value[]): readonly string[] {
  const value = args[1] as Value;
  if (value === null) return [];
  if (!Array.isArray(value)) throw operandError(2, 'one of {null, array}', value);
  const delimiters = stringItems(args, 2);
  if (delimiters.some((delimiter) => Array.from(delimiter).length !== 1))
    throw typeError('operand 2 must be array of characters');
  return delimiters.length === 0 ? ['.'] : delimiters;
}

function literal(char: string): string {
  return /[\\.+*?()|[\]{}^$]/.test(char) ? `\\${char}` : char;
}

function inClass(char: string): string {
  return /[\\\]^-]/.test(char) ? `\\${char}` : char;
}

/** A glob as a regular expression: `*` stops at delimiters, `**` does not. */
class GlobTranslator {
  private at = 0;
  private readonly chars: readonly string[];
  private readonly single: string;

  constructor(
    private readonly pattern: string,
    delimiters: readonly string[],
  ) {
    this.chars = Array.from(pattern);
    const excluded = delimiters
      .flatMap((delimiter) => Array.from(delimiter))
      .map(inClass)
      .join('');
    this.single = excluded === '' ? '(?s:.)' : `[^${excluded}]`;
  }

  translate(): string {
    const body = this.sequence(0);
    if (this.at < this.chars.length)
      throw new BuiltinError(`unexpected ${this.chars[this.at] ?? ''} in glob ${this.pattern}`);
    return `^(?:${body})$`;
  }

  private sequence(depth: number): string {
    let result = '';
    for (; this.at < this.chars.length; this.at++) {
      const char = this.chars[this.at] ?? '';
      if (depth > 0 && (char === ',' || char === '}')) return result;
      if (char === '*') result += this.star();
      else if (char === '?') result += this.single;
      else if (char === '[') result += this.charClass();
      else if (char === '{') result += this.alternatives(depth + 1);
      else if (char === '\\') result += literal(this.chars[++this.at] ?? '\\');
      else result += literal(char);
    }
    return result;
  }

  private star(): string {
    if (this.chars[this.at + 1] !== '*') return `${this.single}*`;
    while (this.chars[this.at + 1] === '*') this.at++;
    return '(?s:.*)';
  }

  private charClass(): string {
    const close = this.chars.indexOf(']', this.at + 2);
    if (close < 0) throw new BuiltinError(`glob ${this.pattern}: unterminated [`);
    let inner = this.chars.slice(this.at + 1, close);
    this.at = close;
    const negated = inner[0] === '!';
    if (negated) inner = inner.slice(1);
    const isRange = inner.length === 3 && inner[1] === '-';
    const body = isRange ? `${inClass(inner[0] ?? '')}-${inClass(inner[2] ?? '')}` : inner.map(inClass).join('');
    return `[${negated ? '^' : ''}${body}]`;
  }

  private alternatives(depth: number): string {
    if (depth > 50) throw new BuiltinError('glob is nested too deeply');
    const options: string[] = [];
    do {
      this.at++;
      options.push(this.sequence(depth));
    } while (this.chars[this.at] === ',');
    if (this.chars[this.at] !== '}') throw new BuiltinError(`glob ${this.pattern}: unterminated {`);
    return `(?:${options.join('|')})`;
  }
}

function globMatch(args: readonly Value[], run: Run): Value {
  const pattern = stringOperand(args, 1);
  const delimiters = delimitersOf(args);
  const text = stringOperand(args, 3);
  const key = `glob\0${delimiters.join('\0')}\0\0${pattern}`;
  let translated = run.memo.get(key);
  if (typeof translated !== 'string') {
    translated = new GlobTranslator(pattern, delimiters).translate();
    run.meter.allocate(key.length * 4);
    run.memo.set(key, translated);
  }
  return matches(compilePattern(translated, run), text, run);
}

export const globBuiltins: BuiltinTable = {
  'glob.match': { arity: 3, call: globMatch },
  'glob.quote_meta': { arity: 1, call: (args) => stringOperand(args, 1).replace(/[\\*?[\]{}]/g, '\\$&') },
};
