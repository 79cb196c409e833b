import { mapNumbers } from '@app/kernel';

/** 16 digits or more: some integers of this length change when they are parsed as a number. */
const LONG_INTEGER = /^-?\d{16,}$/;
const MAY_HAVE_LONG_INTEGER = /[:[,\s]-?\d{16}/;

/**
 * Returns JSON with long integers as strings, which is the form of 64-bit integers in the JSON of Protocol Buffers.
 * `JSON.parse` would round them.
 */
export function quoteLongIntegers(json: string): string {
  if (!MAY_HAVE_LONG_INTEGER.test(json)) return json;
  return mapNumbers(json, (number) => (LONG_INTEGER.test(number) ? `"${number}"` : number));
}
