import { RE2JS } from 're2js';
import type { Run } from '../evaluate/run.js';
import { goQuote } from '../values/text.js';
import type { Value } from '../values/value.js';
import { globsIntersect } from './glob-intersection.js';
import { intOperand, stringOperand } from './operands.js';
import { patternSize } from './regex-size.js';
import { allocateText } from './strings.js';
import { BuiltinError } from './types.js';
import type { BuiltinTable } from './types.js';

const MAX_PATTERN = 10_000;
/** Steps and bytes to compile one instruction. */
const INSTRUCTION_STEPS = 64;
const INSTRUCTION_BYTES = 320;
/** Maximum number of instructions of all patterns in the cache; about 40 MB. */
const CACHE_SIZE = 120_000;

/** Compiled patterns, the least recently used first. Shared by evaluations: a pattern means the same in all. */
const cache = new Map<string, RE2JS>();
let cachedInstructions = 0;

/**
 * Compiles with RE2's syntax, whose matching time is linear in the text. The first use of a pattern in an evaluation is
 * charged before the pattern is compiled. It is charged even if the pattern is cached, so that the budget does not
 * depend on earlier evaluations.
 */
export function compilePattern(pattern: string, run: Run): RE2JS {
  if (pattern.length > MAX_PATTERN) throw new BuiltinError('regular expression is too long');
  chargePattern(pattern, run);
  const known = cache.get(pattern);
  if (known !== undefined) {
    cache.delete(pattern);
    cache.set(pattern, known);
    return known;
  }
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern);
  } catch (error) {
    throw new BuiltinError(error instanceof Error ? error.message : 'error parsing regexp');
  }
  run.meter.checkTime();
  remember(pattern, compiled);
  return compiled;
}

function chargePattern(pattern: string, run: Run): void {
  const key = `regex\0${pattern}`;
  if (run.memo.has(key)) return;
  run.memo.set(key, true);
  const size = patternSize(pattern);
  run.meter.work(20 + pattern.length * 4 + size * INSTRUCTION_STEPS);
  run.meter.allocate(pattern.length * 4 + size * INSTRUCTION_BYTES);
}

function remember(pattern: string, compiled: RE2JS): void {
  cache.set(pattern, compiled);
  cachedInstructions += cachedSize(pattern, compiled);
  for (const [oldest, evicted] of cache) {
    if (cachedInstructions <= CACHE_SIZE) return;
    cache.delete(oldest);
    cachedInstructions -= cachedSize(oldest, evicted);
  }
}

function cachedSize(pattern: string, compiled: RE2JS): number {
  return 100 + pattern.length + compiled.programSize();
}

/** Charges for a search before it runs: in the worst case each instruction is tried at each character, in about 4 ns. */
function chargeSearch(pattern: RE2JS, text: string, run: Run): void {
  run.meter.work(1 + (text.length * pattern.programSize()) / 32);
}

export function matches(pattern: RE2JS, text: string, run: Run): boolean {
  chargeSearch(pattern, text, run);
  return pattern.matcher(text).find();
}

interface Match {
  readonly start: number;
  readonly end: number;
  readonly groups: readonly (string | undefined)[];
}

/** Yields the matches from left to right. An empty match directly after another match is ignored. */
function* allMatches(pattern: RE2JS, text: string, run: Run): Generator<Match> {
  chargeSearch(pattern, text, run);
  const matcher = pattern.matcher(text);
  const groups = matcher.groupCount();
  let lastEnd = -1;
  for (let at = 0; at <= text.length && matcher.find(at);) {
    run.meter.work(1 + (text.length - at) / 4096);
    const start = matcher.start();
    const end = matcher.end();
    if (end > start || start !== lastEnd) {
      const found: (string | undefined)[] = [];
      for (let group = 0; group <= groups; group++) found.push(matcher.group(group) ?? undefined);
      yield { start, end, groups: found };
    }
    lastEnd = end;
    at = end > start ? end : end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1);
  }
}

function limited(args: readonly Value[], position: number): number {
  const limit = intOperand(args, position);
  return limit < 0 ? Infinity : limit;
}

function findMatches(args: readonly Value[], run: Run, result: (match: Match) => Value): Value {
  const pattern = compilePattern(stringOperand(args, 1), run);
  const text = stringOperand(args, 2);
  const limit = limited(args, 3);
  const found: Value[] = [];
  if (limit === 0) return found;
  for (const match of allMatches(pattern, text, run)) {
    run.meter.allocate(64 + (match.end - match.start) * 2);
    found.push(result(match));
    if (found.length >= limit) break;
  }
  return found;
}

function split(args: readonly Value[], run: Run): Value {
  const pattern = compilePattern(stringOperand(args, 1), run);
  const text = stringOperand(args, 2);
  if (text === '') return [''];
  const parts: string[] = [];
  let begin = 0;
  let end = 0;
  for (const match of allMatches(pattern, text, run)) {
    end = match.start;
    if (match.end !== 0) parts.push(text.slice(begin, end));
    begin = match.end;
  }
  if (end !== text.length) parts.push(text.slice(begin));
  run.meter.allocate(parts.length * 32);
  return parts;
}

/** Expands a template: `$1`, `$name` and `${name}` mean groups, `$$` means a dollar sign. */
function expand(template: string, match: Match, names: Readonly<Record<string, number>>): string {
  return template.replace(
    /\$(?:\$|\{(\w+)\}|(\w+))/g,
    (whole, braced: string | undefined, bare: string | undefined) => {
      if (whole === '$$') return '$';
      const name = braced ?? bare ?? '';
      const group = /^\d+$/.test(name) ? Number(name) : Object.hasOwn(names, name) ? (names[name] ?? -1) : -1;
      return match.groups[group] ?? '';
    },
  );
}

function replace(args: readonly Value[], run: Run): Value {
  const text = stringOperand(args, 1);
  const pattern = compilePattern(stringOperand(args, 2), run);
  const template = stringOperand(args, 3);
  const names = pattern.namedGroups();
  let result = '';
  let at = 0;
  for (const match of allMatches(pattern, text, run)) {
    const replacement = template.includes('$') ? expand(template, match, names) : template;
    allocateText(run, replacement.length + match.start - at);
    result += text.slice(at, match.start) + replacement;
    at = match.end;
  }
  return result + text.slice(at);
}

/** Text outside the delimiters is literal; text inside is a regular expression. */
function templateMatch(args: readonly Value[], run: Run): Value {
  const [template, text, open, close] = [1, 2, 3, 4].map((position) => stringOperand(args, position)) as [
    string,
    string,
    string,
    string,
  ];
  for (const [name, delimiter] of Object.entries({ start: open, end: close })) {
    const length = Buffer.byteLength(delimiter);
    if (length !== 1)
      throw new BuiltinError(`${name} delimiter has to be exactly one character long but is ${length} long`);
  }
  let pattern = '^';
  let depth = 0;
  let piece = '';
  for (const char of template) {
    if (char === open && ++depth === 1) {
      pattern += RE2JS.quote(piece);
      piece = '';
    } else if (char === close && --depth === 0) {
      pattern += `(${piece})`;
      piece = '';
    } else piece += char;
    if (depth < 0) break;
  }
  if (depth !== 0) throw new BuiltinError(`unbalanced braces in ${goQuote(template)}`);
  return matches(compilePattern(`${pattern}${RE2JS.quote(piece)}$`, run), text, run);
}

export const regexBuiltins: BuiltinTable = {
  'regex.match': {
    arity: 2,
    call: (args, run) => matches(compilePattern(stringOperand(args, 1), run), stringOperand(args, 2), run),
  },
  re_match: {
    arity: 2,
    call: (args, run) => matches(compilePattern(stringOperand(args, 1), run), stringOperand(args, 2), run),
  },
  'regex.is_valid': {
    arity: 1,
    call: ([pattern], run) => {
      if (typeof pattern !== 'string') return false;
      try {
        compilePattern(pattern, run);
        return true;
      } catch (error) {
        if (error instanceof BuiltinError) return false;
        throw error;
      }
    },
  },
  'regex.find_n': { arity: 3, call: (args, run) => findMatches(args, run, (match) => match.groups[0] ?? '') },
  'regex.find_all_string_submatch_n': {
    arity: 3,
    call: (args, run) => findMatches(args, run, (match) => match.groups.map((group) => group ?? '')),
  },
  'regex.split': { arity: 2, call: split },
  'regex.replace': { arity: 3, call: replace },
  'regex.template_match': { arity: 4, call: templateMatch },
  'regex.globs_match': {
    arity: 2,
    call: (args, run) => globsIntersect(stringOperand(args, 1), stringOperand(args, 2), run),
  },
};
