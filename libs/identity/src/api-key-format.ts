import { createHash } from 'node:crypto';
import { randomBase62, toBase62 } from '@app/kernel';
import { crc32 } from 'node:zlib';

/**
 * `ak_`, 30 random base62 characters (178 bits), 6 base62 characters of the CRC-32 over all that precedes. The checksum
 * lets a mistyped or made-up key be refused without a look-up, and scanners recognise leaked ones.
 */
const PREFIX = 'ak_';
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const PATTERN = /^ak_[0-9A-Za-z]{36}$/;

/** Keys of another form come from BOOTSTRAP_ADMIN_KEY only; they have no checksum. */
const CHOSEN_KEY = /^[\x21-\x7e]{16,512}$/;

export interface NewKey {
  /** The key itself: shown once, never stored. */
  readonly key: string;
  readonly hash: string;
  readonly prefix: string;
  readonly last_four: string;
}

export function generateKey(): NewKey {
  const body = PREFIX + randomBase62(RANDOM_LENGTH);
  return describeKey(body + checksum(body));
}

/** What is stored of a key: its SHA-256, and just enough of it for people to tell keys apart. */
export function describeKey(key: string): NewKey {
  return { key, hash: hashKey(key), prefix: key.slice(0, 7), last_four: key.slice(-4) };
}

export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Whether a look-up is worth it. */
export function isPlausibleKey(key: string): boolean {
  if (!PATTERN.test(key)) return CHOSEN_KEY.test(key);
  return key.endsWith(checksum(key.slice(0, -CHECKSUM_LENGTH)));
}

function checksum(body: string): string {
  return toBase62(crc32(body), CHECKSUM_LENGTH);
}
