import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestContext, type TestContext } from '@app/testing';
import type { Pool } from 'pg';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { migrate } from './migrate.js';
import { ResilientClient } from './resilient-client.js';

/** Fails, and the connection that holds the lock is lost on the way. */
class Failing1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
       WHERE locktype = 'advisory' AND datname = current_database() AND pid <> pg_backend_pid()`,
    );
    throw new Error('the migration is wrong');
  }

  async down(): Promise<void> {}
}

describe('migrating', () => {
  let context: TestContext;

  beforeAll(async () => {
    context = await createTestContext([]);
  });

  afterAll(() => context.close());

  it('fails with what went wrong, and gives its connections back, whatever became of the lock', async () => {
    const dataSource = await new DataSource({
      type: 'postgres',
      url: context.databaseUrl,
      migrations: [Failing1700000000000],
      migrationsTableName: 'failing_migrations',
      installExtensions: false,
      extra: { Client: ResilientClient },
    }).initialize();
    await expect(migrate(dataSource)).rejects.toThrow('the migration is wrong');
    const { master: pool } = dataSource.driver as unknown as { master: Pool };
    expect(pool.totalCount - pool.idleCount).toBe(0);
    await dataSource.destroy();
  });
});
