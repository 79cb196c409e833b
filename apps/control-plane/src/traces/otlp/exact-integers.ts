/** 16 digits or more: some integers of this length change when they are parsed as a number. */
const LONG_INTEGER = /(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;
const MAY_HAVE_LONG_INTEGER = /[:[,\s]-?\d{16}/;

/**
 * Returns JSON with long integers as strings, which is the form of 64-bit integers in the JSON of Protocol Buffers.
 * `JSON.parse` would round them. Strings are skipped without a regular expression, whose stack they could exceed.
 */
export function quoteLongIntegers(json: string): string {
  if (!MAY_HAVE_LONG_INTEGER.test(json)) return json;
  const parts: string[] = [];
  let at = 0;
  while (at < json.length) {
    const open = json.indexOf('"', at);
    const outside = json.slice(at, open < 0 ? json.length : open);
    parts.push(outside.replace(LONG_INTEGER, '"$&"'));
    if (open < 0) break;
    at = endOfString(json, open);
    parts.push(json.slice(open, at));
  }
  return parts.join('');
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
