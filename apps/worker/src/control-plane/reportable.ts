import { ExactNumber, headOf, isJsonObject, type JsonObject } from '@app/kernel';

/** What the control plane rejects in texts: NUL and unpaired surrogates. */
const UNSTORABLE = /\u0000|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const REPLACEMENT = '\ufffd';

/** Below the limit of 64 levels of the control plane, because the data of an event is nested in its request. */
const MAX_DEPTH = 60;
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor']);

/** Sizes in bytes of the JSON text. A request body has at most 1 MiB. */
export const MAX_RESPONSE_BYTES = 900_000;
export const MAX_ERROR_BYTES = 16_384;

/**
 * Returns a text that the control plane accepts: without NUL and unpaired surrogates, cut to `maxBytes` of JSON text.
 */
export function reportableText(text: string, maxBytes: number): string {
  const clean = text.replace(UNSTORABLE, REPLACEMENT);
  if (jsonBytes(clean) <= maxBytes) return clean;
  const note = (kept: number): string => `\n[cut: ${clean.length - kept} more characters]`;
  const end = longestPrefix(clean, maxBytes - jsonBytes(note(0)));
  return clean.slice(0, end) + note(end);
}

/** Returns the data of an event with reportable texts and keys. */
export function reportableData(data: JsonObject): JsonObject {
  return reportableObject(data, 1);
}

function reportableObject(data: JsonObject, depth: number): JsonObject {
  return Object.fromEntries(
    Object.entries(data)
      .filter(([name]) => !FORBIDDEN_KEYS.has(name))
      .map(([name, value]) => [name.replace(UNSTORABLE, REPLACEMENT), reportableValue(value, depth + 1)]),
  );
}

function reportableValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return reportableText(value, MAX_RESPONSE_BYTES);
  if (typeof value !== 'object' || value === null) return value;
  // A number that the control plane would reject: its text.
  if (value instanceof ExactNumber)
    return value.fault === undefined ? value : reportableText(value.text, MAX_ERROR_BYTES);
  if (depth > MAX_DEPTH) return '[nested too deeply]';
  if (Array.isArray(value)) return value.map((item: unknown) => reportableValue(item, depth + 1));
  return isJsonObject(value) ? reportableObject(value, depth) : value;
}

/** Returns the length of the longest prefix of at most `maxBytes` that does not end within a character. */
function longestPrefix(text: string, maxBytes: number): number {
  let low = 0;
  let high = Math.min(text.length, maxBytes);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (jsonBytes(text.slice(0, middle)) <= maxBytes) low = middle;
    else high = middle - 1;
  }
  return headOf(text, low).length;
}

function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}
