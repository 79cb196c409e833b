import { createHash } from 'node:crypto';

/** Returns bytes that depend only on the seed of the evaluation, the purpose and the key. */
export function deterministicBytes(seed: string, purpose: string, key: string): Buffer {
  return createHash('sha256').update(`${seed.length}:${seed}${purpose.length}:${purpose}${key}`).digest();
}

/** Returns an integer from 0 to `limit` (exclusive). */
export function deterministicInt(seed: string, key: string, limit: number): number {
  const bytes = deterministicBytes(seed, 'rand.intn', `${limit}:${key}`);
  return Number(bytes.readBigUInt64BE(0) % BigInt(limit));
}
