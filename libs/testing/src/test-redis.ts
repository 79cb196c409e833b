import { Redis } from 'ioredis';

/** The Redis of the test run. Each Jest worker has a logical database of its own. */
export function testRedisUrl(): string {
  const server = process.env['TEST_REDIS_URL'];
  if (server === undefined) throw new Error('TEST_REDIS_URL is not set: run the tests with `npm test -- <path>`');
  const url = new URL(server);
  url.pathname = `/${process.env['JEST_WORKER_ID'] ?? '1'}`;
  return url.toString();
}

/** Empties the worker's database, so that a test file starts with nothing of the one before. */
export async function flushTestRedis(): Promise<void> {
  const redis = new Redis(testRedisUrl());
  await redis.flushdb();
  redis.disconnect();
}
