import { createHash } from 'node:crypto';
import { newApiKey } from '@app/kernel';
import type { KeyMaterial } from './key.types.js';

export function generateKey(): KeyMaterial {
  return describeKey(newApiKey());
}

/** Returns a plain key with the data that is stored for it: its SHA-256, and its prefix and suffix for display. */
export function describeKey(key: string): KeyMaterial {
  return { key, hash: hashKey(key), prefix: key.slice(0, 7), last_four: key.slice(-4) };
}

export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
