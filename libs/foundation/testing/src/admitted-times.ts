import type { RedisClient } from '@app/redis';

const HEADER = 12;
const ENTRY = 6;

/** Returns the times of the admitted requests of a key that Redis has stored, oldest first, in milliseconds. */
export async function admittedTimes(redis: RedisClient, name: string): Promise<number[]> {
  const ring = await redis.getBuffer(`rate-limit:{${name}}`);
  if (ring === null) return [];
  const [count, size] = [ring.readUIntBE(0, ENTRY), ring.readUIntBE(ENTRY, ENTRY)];
  const first = Math.max(0, count - size);
  return Array.from({ length: count - first }, (_, n) => ring.readUIntBE(HEADER + ((first + n) % size) * ENTRY, ENTRY));
}
