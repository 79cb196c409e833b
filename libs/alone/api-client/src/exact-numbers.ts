/** May match an integer that a double does not hold: one with 16 digits or more. The characters before it exclude ids and times. */
const MAY_BE_LONG = /(?:^|[[:,\s])-?\d{16}/;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const LONG_INTEGER = /^-?\d{16,}$/;
/** Begins a string that stands for an integer. Random, so that no text of a response equals it. */
const MARK = `integer:${Math.random()}${Math.random()}:`;
const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, 'g');

/**
 * Like `JSON.parse`, with a `bigint` for each integer that a `number` does not hold exactly. All other numbers are plain. A
 * text without long integers costs one scan. Throws `SyntaxError`.
 */
export function parseWithBigInts(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!MAY_BE_LONG.test(text)) return value;
  const marked = markIntegers(text);
  return marked === undefined ? value : withoutMarks(JSON.parse(marked));
}

/** Like `JSON.stringify`, and writes each `bigint` as an integer. */
export function stringifyWithBigInts(value: unknown, indent?: number): string {
  const marked = (_key: string, each: unknown): unknown => (typeof each === 'bigint' ? `${MARK}${each}` : each);
  // Undefined for values that JSON does not have, despite its type.
  const text = JSON.stringify(value, marked, indent) as string | undefined;
  return text?.replace(MARKED, '$1') as string;
}

/** Returns a field whose type is `number` for arithmetic: with `exactNumbers` it is a `bigint` beyond 2^53. */
export function nearestNumber(value: number | bigint): number {
  return Number(value);
}

/** Replaces the long integers of a valid JSON text by marked strings. Returns undefined if there are none. */
function markIntegers(json: string): string | undefined {
  const parts: string[] = [];
  let isMarked = false;
  const mark = (number: string): string => {
    if (!LONG_INTEGER.test(number) || Number.isSafeInteger(Number(number))) return number;
    isMarked = true;
    return `"${MARK}${number}"`;
  };
  for (let at = 0; at < json.length;) {
    const open = json.indexOf('"', at);
    parts.push(json.slice(at, open < 0 ? json.length : open).replace(NUMBER, mark));
    if (open < 0) break;
    at = endOfString(json, open);
    parts.push(json.slice(open, at));
  }
  return isMarked ? parts.join('') : undefined;
}

/** Returns the position after the string that begins at `open`. */
function endOfString(json: string, open: number): number {
  for (let quote = json.indexOf('"', open + 1); quote >= 0; quote = json.indexOf('"', quote + 1)) {
    let escapes = 0;
    while (json[quote - 1 - escapes] === '\\') escapes += 1;
    if (escapes % 2 === 0) return quote + 1;
  }
  return json.length;
}

/** Replaces marked strings by bigints, in place. Is not recursive, because a tree of spans can be deeper than the stack. */
function withoutMarks(root: unknown): unknown {
  const holder: Record<string, unknown> = { root };
  const pending: Record<string, unknown>[] = [holder];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const key of Object.keys(next)) {
      const value = next[key];
      if (typeof value === 'string' && value.startsWith(MARK)) next[key] = BigInt(value.slice(MARK.length));
      else if (typeof value === 'object' && value !== null) pending.push(value as Record<string, unknown>);
    }
  }
  return holder['root'];
}
