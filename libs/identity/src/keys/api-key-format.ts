import { createHash } from 'node:crypto';
import { newApiKey } from '@app/kernel';

export interface NewKey {
  /** The plain key: shown once, never stored. */
  readonly key: string;
  readonly hash: string;
  readonly prefix: string;
  readonly last_four: string;
}

export function generateKey(): NewKey {
  return describeKey(newApiKey());
}

/** Returns the stored data of a key: its SHA-256, and its prefix and suffix for display. */
export function describeKey(key: string): NewKey {
  return { key, hash: hashKey(key), prefix: key.slice(0, 7), last_four: key.slice(-4) };
}

export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
