import { ConnectionsModule } from '@app/connections';
import { Database, DatabaseModule } from '@app/database';
import { Clock, SystemClock } from '@app/kernel';
import { Global, Module, type DynamicModule, type INestApplicationContext, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { createTestDatabase } from './test-database.js';
import { flushTestRedis, testRedisUrl } from './test-redis.js';

export interface TestContext {
  readonly app: INestApplicationContext;
  readonly database: Database;
  get<T>(token: Type<T> | (abstract new (...args: never[]) => T)): T;
  close(): Promise<void>;
}

@Global()
@Module({})
class TestClockModule {
  static with(clock: Clock): DynamicModule {
    return { module: TestClockModule, providers: [{ provide: Clock, useValue: clock }], exports: [Clock] };
  }
}

/** The given domain modules on a real PostgreSQL and Redis of the test file's own. Call it in `beforeAll`. */
export async function createTestContext(
  modules: readonly Type[],
  clock: Clock = new SystemClock(),
): Promise<TestContext> {
  const testDatabase = await createTestDatabase();
  await flushTestRedis();
  Object.assign(process.env, { DATABASE_URL: testDatabase.url, REDIS_URL: testRedisUrl(), MIGRATE_ON_START: 'false' });
  process.env['LOG_LEVEL'] ??= 'error';
  const testing = await Test.createTestingModule({
    imports: [DatabaseModule, ConnectionsModule, TestClockModule.with(clock), ...modules],
  }).compile();
  await testing.init();
  return {
    app: testing,
    database: testing.get(Database, { strict: false }),
    get: (token) => testing.get(token, { strict: false }),
    close: async () => {
      await testing.close();
      await testDatabase.drop();
    },
  };
}
