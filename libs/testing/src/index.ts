export { eventually, promptly } from './eventually.js';
export { ManualClock } from './manual-clock.js';
export { roundTripsOf, statementsOf } from './statements.js';
export { testCaller } from './test-caller.js';
export { processesWith } from './processes.js';
export { providedConfigs } from './provided-configs.js';
export { createTestContext, type TestContext } from './test-context.js';
export { createTestDatabase, type TestDatabase } from './test-database.js';
export { flushTestRedis, lastingRedisUrl, testRedisUrl } from './test-redis.js';
