import type { Run } from '../evaluate/run.js';
import { isArray } from '../values/value.js';
import type { Value } from '../values/value.js';
import { codePoints } from './aggregates.js';
import { elementError, operandError, stringItems, stringOperand } from './operands.js';
import { compilePattern, matches } from './regex.js';
import { BuiltinError } from './types.js';
import type { BuiltinTable } from './types.js';

function delimitersOf(args: readonly Value[]): readonly string[] {
  const value = args[1] as Value;
  if (value === null) return [];
  if (!isArray(value)) throw operandError(2, 'one of {array, null}', value);
  for (const delimiter of stringItems(args, 2))
    if (codePoints(delimiter) !== 1) throw elementError(2, value, 'rune', delimiter);
  return value.length === 0 ? ['.'] : (value as readonly string[]);
}

function literal(char: string): string {
  return /[\\.+*?()|[\]{}^$]/.test(char) ? `\\${char}` : char;
}

function inClass(char: string): string {
  return /[\\[\]^-]/.test(char) ? `\\${char}` : char;
}

/** Translates a glob to a regular expression. `*` does not match delimiters, `**` does. */
class GlobTranslator {
  private at = 0;
  private readonly chars: readonly string[];
  private readonly single: string;

  constructor(pattern: string, delimiters: readonly string[]) {
    this.chars = Array.from(pattern);
    const excluded = delimiters
      .flatMap((delimiter) => Array.from(delimiter))
      .map(inClass)
      .join('');
    this.single = excluded === '' ? '(?s:.)' : `[^${excluded}]`;
  }

  translate(): string {
    return `^(?:${this.sequence(0)})$`;
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
      else if (char === '\\') result += literal(this.chars[++this.at] ?? '');
      else result += literal(char);
    }
    return result;
  }

  private star(): string {
    if (this.chars[this.at + 1] !== '*') return `${this.single}*`;
    while (this.chars[this.at + 1] === '*') this.at++;
    return '(?s:.*)';
  }

  /** Reads a range of two characters, or a list in which only the escape character is special. */
  private charClass(): string {
    const next = (): string => this.chars[++this.at] ?? this.fail('unexpected end of input');
    let char = next();
    const negated = char === '!';
    if (negated) char = next();
    let body = '';
    if (this.chars[this.at + 1] === '-') {
      this.at++;
      const high = next();
      if (next() !== ']') this.fail('expected close range character');
      if ((char.codePointAt(0) ?? 0) > (high.codePointAt(0) ?? 0))
        this.fail(`hi character '${high}' should be greater than lo '${char}'`);
      body = `${inClass(char)}-${inClass(high)}`;
    } else {
      for (; char !== ']'; char = next()) body += inClass(char === '\\' ? next() : char);
      if (body === '') this.fail('could not parse range');
    }
    return `[${negated ? '^' : ''}${body}]`;
  }

  /** Reads alternatives. The end of the glob closes open ones. */
  private alternatives(depth: number): string {
    if (depth > 50) throw new BuiltinError('glob is nested too deeply');
    const options: string[] = [];
    do {
      this.at++;
      options.push(this.sequence(depth));
    } while (this.chars[this.at] === ',');
    return `(?:${options.join('|')})`;
  }

  private fail(message: string): never {
    throw new BuiltinError(message);
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
