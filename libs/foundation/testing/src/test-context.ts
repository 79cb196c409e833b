import { ClockModule } from '@app/clock';
import { setEnvironment } from '@app/config';
import { RedisModule, RedisConnections } from '@app/redis';
import { Database, DatabaseModule } from '@app/database';
import { Clock, SystemClock } from '@app/kernel';
import type { INestApplicationContext, Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { requireOneSlot } from './one-slot.js';
import { createTestDatabase } from './test-database.js';
import { flushTestRedis, testRedisUrl } from './test-redis.js';

const SECRETS_KEY = Buffer.from('the-key-of-secrets-in-the-tests.').toString('base64');

export interface TestContext {
  readonly app: INestApplicationContext;
  readonly database: Database;
  readonly databaseUrl: string;
  get<T>(token: Type<T> | (abstract new (...args: never[]) => T)): T;
  close(): Promise<void>;
}

export interface TestContextOptions {
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Another context or platform. The new context uses its database, like a second process of the same platform. */
  readonly shareWith?: Pick<TestContext, 'databaseUrl'>;
}

/**
 * Starts the given domain modules on a PostgreSQL database and a Redis database of this test file. To be called in
 * `beforeAll`.
 */
export async function createTestContext(
  modules: readonly Type[],
  options: TestContextOptions = {},
): Promise<TestContext> {
  const { clock = new SystemClock(), shareWith } = options;
  const own = shareWith === undefined ? await createTestDatabase() : undefined;
  if (own !== undefined) await flushTestRedis();
  const databaseUrl = own?.url ?? shareWith?.databaseUrl ?? '';
  setEnvironment({
    DATABASE_URL: databaseUrl,
    REDIS_URL: testRedisUrl(),
    MIGRATE_ON_START: 'false',
    SECRETS_KEY,
  });
  const testing = await Test.createTestingModule({
    imports: [ClockModule, DatabaseModule, RedisModule, ...modules],
  })
    .overrideProvider(Clock)
    .useValue(clock)
    .compile();
  requireOneSlot(testing.get(RedisConnections, { strict: false }));
  await testing.init();
  return {
    app: testing,
    database: testing.get(Database, { strict: false }),
    databaseUrl,
    get: (token) => testing.get(token, { strict: false }),
    close: async () => {
      await testing.close();
      await own?.drop();
    },
  };
}
