import { loadConfig } from '@app/config';
import { Redis } from 'ioredis';
import { requireSetting, TestConfig } from './test.config.js';

/** Returns the Redis URL of the test run. Each Jest worker uses its own logical database. */
export function testRedisUrl(): string {
  const { redisUrl, workerId } = loadConfig(TestConfig);
  const url = new URL(requireSetting('TEST_REDIS_URL', redisUrl));
  url.pathname = `/${workerId}`;
  return url.toString();
}

/** Deletes all keys of this Jest worker, so that a test file starts with an empty Redis. */
export async function flushTestRedis(): Promise<void> {
  const redis = new Redis(testRedisUrl());
  await redis.flushdb();
  redis.disconnect();
}
