import { createHash } from 'node:crypto';
import { ExactNumber, headOf, isJsonObject, parseExactJson, type JsonObject } from '@app/kernel';

/** Longer actions are truncated. */
const MAX_ACTION_LENGTH = 200;

/** Two inputs have the same digest if and only if they are the same JSON value; the order of keys does not matter. */
export function digestOf(input: JsonObject): string {
  return createHash('sha256').update(canonicalJson(input)).digest('hex');
}

/**
 * RFC 8785: keys in the order of their UTF-16 code units, numbers and strings as ECMAScript serializes them. Numbers that no
 * double represents, which RFC 8785 excludes, are written with all their digits.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  if (value instanceof ExactNumber) return value.canonical;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort((a, b) => (a < b ? -1 : 1));
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`).join()}}`;
}

/** Returns the input after a round trip through JSON, so that the evaluated input equals the stored one. */
export function plainInput(input: JsonObject): { readonly plain: JsonObject; readonly bytes: number } {
  const text = JSON.stringify(input);
  return { plain: parseExactJson(text) as JsonObject, bytes: Buffer.byteLength(text) };
}

export function actionOf({ action }: JsonObject): string | null {
  return typeof action === 'string' ? headOf(action, MAX_ACTION_LENGTH) : null;
}
