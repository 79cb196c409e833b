import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';

/** A new UUIDv7: unique, and ordered by time of creation, so that primary keys stay local in their index. */
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

/** Any UUID, whatever its version and variant: one that we have not made is still a UUID, which names nothing. */
export function isUuid(text: string): boolean {
  return UUID_PATTERN.test(text);
}

/** What an id that a worker chooses for its execution may be. As a part of an address, "." and ".." name another one. */
export const EXECUTION_ID_PATTERN =
  /^([A-Za-z0-9_:-][A-Za-z0-9_.:-]{0,127}|\.[A-Za-z0-9_:-][A-Za-z0-9_.:-]{0,126}|\.\.[A-Za-z0-9_.:-]{1,126})$/;

/** Other texts that clients choose and later name as a part of an address, or as several with slashes between them. */
export const ADDRESSABLE_PATTERN = /^([^./][^/]*|\.[^./][^/]*|\.\.[^/]+)?(\/([^./][^/]*|\.[^./][^/]*|\.\.[^/]+)?)*$/;
export const ADDRESSABLE_MEANS = 'anything but the parts . and .., which no address can hold';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `length` random base62 characters from the system's secure source, without modulo bias. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += BASE62[byte % 62];
    }
  }
  return text;
}

/** `value` (an unsigned integer) in base62, left-padded with `0` to `width`. */
export function toBase62(value: number, width: number): string {
  let text = '';
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) text = BASE62.charAt(rest % 62) + text;
  return text.padStart(width, '0');
}
