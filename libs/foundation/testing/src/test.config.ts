import { EnvVar, integer, text } from '@app/config';

/** Redis has 16 logical databases. Each Jest worker uses two of them. */
export const MAX_WORKERS = 7;

/** The stores of a test run, set by `npm test`. */
export class TestConfig {
  @EnvVar('TEST_DATABASE_URL', text(), { default: null, doc: 'URL of the PostgreSQL server of the test run.' })
  readonly databaseUrl!: string | null;

  @EnvVar('TEST_REDIS_URL', text(), { default: null, doc: 'URL of the Redis server of the test run.' })
  readonly redisUrl!: string | null;

  @EnvVar('JEST_WORKER_ID', integer({ min: 1, max: MAX_WORKERS }), {
    default: 1,
    doc: 'Number of the Jest worker, set by Jest; selects its Redis databases.',
  })
  readonly workerId!: number;
}

/** Returns the setting. Throws if the tests were not started by `npm test`. */
export function requireSetting(name: string, value: string | null): string {
  if (value === null) throw new Error(`${name} is not set: run the tests with \`npm test -- <path>\``);
  return value;
}
