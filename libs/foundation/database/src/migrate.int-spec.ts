import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestContext, eventually, type TestContext } from '@app/testing';
import { Test } from '@nestjs/testing';
import type { Pool } from 'pg';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { DatabaseModule } from './database.module.js';
import { migrate } from './migrate.js';
import { ResilientClient } from './pool/resilient-client.js';

/** Terminates the connection that holds the lock, then fails. */
class Failing1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
       WHERE locktype = 'advisory' AND datname = current_database() AND pid <> pg_backend_pid()`,
    );
    throw new Error('the migration failed');
  }

  async down(): Promise<void> {}
}

/** A second process that starts. */
let waiting: { readonly dataSource: DataSource; migrated?: Promise<void> } | undefined;

/** Waits until the second process tries to acquire the lock. */
class Indexing1700000000001 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    if (waiting !== undefined) waiting.migrated = migrate(waiting.dataSource);
    await eventually(async () => {
      const query = `SELECT 1 FROM pg_stat_activity WHERE application_name = 'second' AND query LIKE '%advisory_lock%'`;
      expect(await runner.query(query)).not.toEqual([]);
    });
    await runner.query('CREATE INDEX CONCURRENTLY ix_teams_description ON teams (description)');
  }

  async down(): Promise<void> {}
}

describe('migrate', () => {
  let context: TestContext;

  beforeAll(async () => {
    context = await createTestContext([]);
  });

  afterAll(() => context.close());

  it('throws the error of the migration and releases its connections, even if the lock was lost', async () => {
    const dataSource = await new DataSource({
      type: 'postgres',
      url: context.databaseUrl,
      migrations: [Failing1700000000000],
      migrationsTableName: 'failing_migrations',
      installExtensions: false,
      extra: { Client: ResilientClient },
    }).initialize();
    await expect(migrate(dataSource)).rejects.toThrow('the migration failed');
    const { master: pool } = dataSource.driver as unknown as { master: Pool };
    expect(pool.totalCount - pool.idleCount).toBe(0);
    await dataSource.destroy();
  });

  it('lets a migration create an index concurrently while another process waits', async () => {
    const start = (name: string): Promise<DataSource> =>
      new DataSource({
        type: 'postgres',
        url: context.databaseUrl,
        migrations: [Indexing1700000000001],
        migrationsTableName: 'indexing_migrations',
        installExtensions: false,
        applicationName: name,
      }).initialize();
    const [first, second] = [await start('first'), await start('second')];
    waiting = { dataSource: second };
    await migrate(first);
    await waiting.migrated;
    const indexes = await context.database.sql("SELECT 1 FROM pg_indexes WHERE indexname = 'ix_teams_description'");
    expect(indexes).toHaveLength(1);
    for (const one of [first, second]) await one.destroy();
  });

  it('rejects a database of an unreleased version, also if the process runs no migrations', async () => {
    const { database } = context;
    const name = 'Users1800000030000';
    await database.sql('INSERT INTO schema_migrations ("timestamp", name) VALUES (1800000030000, $1)', [name]);
    const refusal = `the database was made by an unreleased version of the platform (migration ${name}) and must be recreated`;
    await expect(migrate(database.dataSource)).rejects.toThrow(refusal);
    const module = Test.createTestingModule({ imports: [DatabaseModule] });
    await expect(module.compile()).rejects.toThrow(refusal);
    await database.sql('DELETE FROM schema_migrations WHERE name = $1', [name]);
  });

  it('accepts a database that has migrations of a newer version', async () => {
    const { database } = context;
    const name = 'Later1900000000000';
    await database.sql('INSERT INTO schema_migrations ("timestamp", name) VALUES (1900000000000, $1)', [name]);
    await migrate(database.dataSource);
    await (await createTestContext([], { shareWith: context })).close();
  });
});
