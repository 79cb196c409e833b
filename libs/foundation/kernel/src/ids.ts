import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';

/** Returns a new UUIDv7. Ids are ordered by creation time, so that inserts into the primary key index stay local. */
export function newId(): string {
  return uuidv7();
}

export function newJobId(): string {
  return `job_${uuidv7()}`;
}

export function newKeyId(): string {
  return `key_${uuidv7()}`;
}

const UUID_PATTERN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Accepts any version and variant: a UUID that the platform did not generate is valid, but names nothing. */
export function isUuid(text: string): boolean {
  return UUID_PATTERN.test(text);
}

/** Execution ids that a worker may choose. Excludes "." and "..", which change the path of a URL. */
export const EXECUTION_ID_PATTERN =
  /^([A-Za-z0-9_:-][A-Za-z0-9_.:-]{0,127}|\.[A-Za-z0-9_:-][A-Za-z0-9_.:-]{0,126}|\.\.[A-Za-z0-9_.:-]{1,126})$/;

/** Other texts that clients choose and later use as one or more segments of a URL path. */
export const ADDRESSABLE_PATTERN = /^([^./][^/]*|\.[^./][^/]*|\.\.[^/]+)?(\/([^./][^/]*|\.[^./][^/]*|\.\.[^/]+)?)*$/;
export const ADDRESSABLE_MEANS = 'text without the path segments . and ..';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns `length` random base62 characters from the system's secure source, without modulo bias. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += BASE62[byte % 62];
    }
  }
  return text;
}

/** Returns `value` (an unsigned integer) in base62, left-padded with `0` to `width`. */
export function toBase62(value: number, width: number): string {
  let text = '';
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) text = BASE62.charAt(rest % 62) + text;
  return text.padStart(width, '0');
}
