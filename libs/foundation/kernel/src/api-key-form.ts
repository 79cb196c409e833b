import { crc32 } from 'node:zlib';
import { randomBase62, toBase62 } from './ids.js';

/**
 * `ak_`, 30 random base62 characters (178 bits), and the CRC-32 of both as 6 base62 characters. With the checksum, a
 * mistyped or invented key is rejected without a look-up, and secret scanners recognize leaked keys.
 */
const PREFIX = 'ak_';
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const GENERATED = /^ak_[0-9A-Za-z]{36}$/;

/** Constraints on BOOTSTRAP_ADMIN_KEY, a text that a header transmits unchanged. It has no checksum. */
const CHOSEN_LENGTH = { min: 16, max: 512 };
const CARRIED = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

export function newApiKey(): string {
  const body = PREFIX + randomBase62(RANDOM_LENGTH);
  return body + checksum(body);
}

/** Returns whether the text has the format of a generated key but a wrong checksum: it was mistyped or invented. */
export function hasWrongChecksum(key: string): boolean {
  return GENERATED.test(key) && !key.endsWith(checksum(key.slice(0, -CHECKSUM_LENGTH)));
}

/** Returns why the text cannot be a chosen key; undefined if it can. The result never contains the text. */
export function chosenKeyFault(key: string): string | undefined {
  if (!CARRIED.test(key))
    return 'contains a character that is not allowed in a header (an accent, an ellipsis, a trailing space)';
  if (key.length < CHOSEN_LENGTH.min) return `expected at least ${CHOSEN_LENGTH.min} characters`;
  if (key.length > CHOSEN_LENGTH.max) return `expected at most ${CHOSEN_LENGTH.max} characters`;
  return undefined;
}

function checksum(body: string): string {
  return toBase62(crc32(body), CHECKSUM_LENGTH);
}
