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

/** Keys of another form come from BOOTSTRAP_ADMIN_KEY only; they have no checksum. */
const CHOSEN_LENGTH = { min: 16, max: 512 };
const VISIBLE = /^[\x21-\x7e]*$/;

export function newApiKey(): string {
  const body = PREFIX + randomBase62(RANDOM_LENGTH);
  return body + checksum(body);
}

/** Why no key can be this, whoever made it; undefined where a look-up is worth it. Never repeats the key. */
export function apiKeyFault(key: string): string | undefined {
  if (GENERATED.test(key)) {
    if (key.endsWith(checksum(key.slice(0, -CHECKSUM_LENGTH)))) return undefined;
    return 'has the form of a generated key (ak_ and 36 letters and digits), but its checksum is wrong: one of them was changed';
  }
  if (!VISIBLE.test(key)) return 'has a space or a character that no header can carry (an accent, an ellipsis)';
  if (key.length < CHOSEN_LENGTH.min) return `expected at least ${CHOSEN_LENGTH.min} characters`;
  if (key.length > CHOSEN_LENGTH.max) return `expected at most ${CHOSEN_LENGTH.max} characters`;
  return undefined;
}

function checksum(body: string): string {
  return toBase62(crc32(body), CHECKSUM_LENGTH);
}
