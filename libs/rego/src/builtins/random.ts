import { createHash } from 'node:crypto';

/** Bytes that depend on the seed of the evaluation and on `key` alone. */
export function deterministicBytes(seed: string, purpose: string, key: string): Buffer {
  return createHash('sha256').update(`${seed.length}:${seed}${purpose.length}:${purpose}${key}`).digest();
}

/** An integer from 0 up to, not including, `limit`. */
export function deterministicInt(seed: string, key: string, limit: number): number {
  const bytes = deterministicBytes(seed, 'rand.intn', `${limit}:${key}`);
  return Number(bytes.readBigUInt64BE(0) % BigInt(limit));
}
