import { crc32 } from 'node:zlib';
import { randomBase62, toBase62 } from './ids.js';

/**
 * `ak_`, 30 random base62 characters (178 bits), 6 base62 characters of the CRC-32 over all that precedes. The checksum
 * lets a mistyped or made-up key be refused without a look-up, and scanners recognise leaked ones.
 */
const PREFIX = 'ak_';
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const GENERATED = /^ak_[0-9A-Za-z]{36}$/;

/** What BOOTSTRAP_ADMIN_KEY may be: anything that comes through a header as it is. It has no checksum. */
const CHOSEN_LENGTH = { min: 16, max: 512 };
const CARRIED = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

export function newApiKey(): string {
  const body = PREFIX + randomBase62(RANDOM_LENGTH);
  return body + checksum(body);
}

/** Whether this has the form of a generated key and not its checksum: it was mistyped, or made up. */
export function hasWrongChecksum(key: string): boolean {
  return GENERATED.test(key) && !key.endsWith(checksum(key.slice(0, -CHECKSUM_LENGTH)));
}

/** Why this can not be chosen for a key, and no key is this; undefined where it can. Never repeats it. */
export function chosenKeyFault(key: string): string | undefined {
  if (!CARRIED.test(key))
    return 'has a character that no header can carry (an accent, an ellipsis, a space at its end)';
  if (key.length < CHOSEN_LENGTH.min) return `expected at least ${CHOSEN_LENGTH.min} characters`;
  if (key.length > CHOSEN_LENGTH.max) return `expected at most ${CHOSEN_LENGTH.max} characters`;
  return undefined;
}

function checksum(body: string): string {
  return toBase62(crc32(body), CHECKSUM_LENGTH);
}
