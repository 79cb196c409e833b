import type { Run } from '../evaluate/run.js';
import { BuiltinError } from './types.js';

/** One element of a glob: the characters that it matches, once or repeatedly. */
interface Element {
  /** Undefined: matches any character. */
  readonly chars: ReadonlySet<string> | undefined;
  readonly repeat: '' | '*' | '+';
}

const SPECIAL = new Set(['.', '[', ']', '*', '+', '\\']);

/** Returns whether two globs (`.`, `[a-z]`, `*`, `+`, escapes) match a common non-empty text. */
export function globsIntersect(left: string, right: string, run: Run): boolean {
  const a = tokenize(left);
  const b = tokenize(right);
  run.meter.work(a.length * b.length);
  run.meter.allocate(a.length * b.length * 8);
  const seen = new Set<number>();
  const pending: [number, number][] = [[0, 0]];
  const push = (x: number, y: number): void => {
    const key = x * (2 * b.length + 2) + y;
    if (seen.has(key)) return;
    seen.add(key);
    pending.push([x, y]);
  };
  // State 2i is before element i, state 2i+1 after at least one of its characters.
  for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
    const [x, y] = state;
    if (isFinal(a, x) && isFinal(b, y)) return true;
    for (const [elementX, nextX] of moves(a, x)) {
      for (const [elementY, nextY] of moves(b, y)) {
        run.meter.step();
        if (overlap(elementX, elementY)) push(nextX, nextY);
      }
    }
  }
  return false;
}

/** Returns the elements that can match the next character, each with the state after it. */
function moves(elements: readonly Element[], state: number): [Element, number][] {
  const result: [Element, number][] = [];
  let at = state >> 1;
  const current = elements[at];
  if (state % 2 === 1) {
    if (current !== undefined && current.repeat !== '') result.push([current, state]);
    at++;
  }
  for (; at < elements.length; at++) {
    const element = elements[at] as Element;
    result.push([element, 2 * at + 1]);
    if (element.repeat !== '*') break;
  }
  return result;
}

function isFinal(elements: readonly Element[], state: number): boolean {
  const from = (state >> 1) + (state % 2);
  return elements.slice(from).every((element) => element.repeat === '*');
}

function overlap(a: Element, b: Element): boolean {
  if (a.chars === undefined || b.chars === undefined) return true;
  for (const char of a.chars) if (b.chars.has(char)) return true;
  return false;
}

function fail(text: string, position: number, message: string): never {
  throw new BuiltinError(`input:${text}, pos:${position}, ${message}: the input provided is invalid`);
}

function tokenize(text: string): Element[] {
  const chars = Array.from(text);
  const elements: Element[] = [];
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] ?? '';
    let set: ReadonlySet<string> | undefined;
    if (char === '.') set = undefined;
    else if (char === '[') [set, at] = charSet(text, chars, at);
    else if (char === ']') fail(text, at + 1, "set-close ']' with no preceding '['");
    else if (char === '*' || char === '+') fail(text, at + 1, `flag '${char}' must be preceded by a non-flag`);
    else if (char === '\\') {
      const next = chars[++at];
      if (next === undefined || !SPECIAL.has(next)) fail(text, at + 1, 'invalid escape');
      set = new Set([next]);
    } else set = new Set([char]);
    const flag = chars[at + 1];
    const repeat = flag === '*' || flag === '+' ? flag : '';
    if (repeat !== '') at++;
    elements.push({ chars: set, repeat });
  }
  return elements;
}

function charSet(text: string, chars: readonly string[], start: number): [ReadonlySet<string>, number] {
  const set = new Set<string>();
  for (let at = start + 1; at < chars.length; at++) {
    let char = chars[at] ?? '';
    if (char === ']') return [set, at];
    if (char === '\\') char = chars[++at] ?? '';
    const to = chars[at + 1] === '-' && chars[at + 2] !== ']' ? chars[at + 2] : undefined;
    if (to === undefined) {
      set.add(char);
      continue;
    }
    at += 2;
    const low = char.codePointAt(0) ?? 0;
    const high = to.codePointAt(0) ?? 0;
    if (high < low || high - low > 70_000) fail(text, at + 1, 'range is not in order');
    for (let code = low; code <= high; code++) set.add(String.fromCodePoint(code));
  }
  return fail(text, chars.length, 'found [ without matching ]');
}
