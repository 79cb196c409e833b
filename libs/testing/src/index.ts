export { eventually } from './eventually.js';
export { ManualClock } from './manual-clock.js';
export { createTestContext, type TestContext } from './test-context.js';
export { createTestDatabase, type TestDatabase } from './test-database.js';
export { flushTestRedis, testRedisUrl } from './test-redis.js';
