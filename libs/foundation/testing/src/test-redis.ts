import { loadConfig } from '@app/config';
import { Redis } from 'ioredis';
import { MAX_WORKERS, requireSetting, TestConfig } from './test.config.js';

/** Returns the Redis URL of the test run. Each Jest worker uses its own logical database. */
export function testRedisUrl(): string {
  return redisDatabase(loadConfig(TestConfig).workerId);
}

/** Like `testRedisUrl`, for servers that outlive a test file: no test file deletes these keys. */
export function lastingRedisUrl(): string {
  return redisDatabase(loadConfig(TestConfig).workerId + MAX_WORKERS);
}

function redisDatabase(index: number): string {
  const url = new URL(requireSetting('TEST_REDIS_URL', loadConfig(TestConfig).redisUrl));
  url.pathname = `/${index}`;
  return url.toString();
}

/** Deletes all keys of this Jest worker, so that a test file starts with an empty Redis. */
export async function flushTestRedis(): Promise<void> {
  const redis = new Redis(testRedisUrl());
  await redis.flushdb();
  redis.disconnect();
}
