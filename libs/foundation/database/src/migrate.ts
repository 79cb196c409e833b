import { setTimeout as pause } from 'node:timers/promises';
import { createLogger } from '@app/observability';
import type { DataSource, QueryRunner } from 'typeorm';
import { rejectUnreleasedSchema } from './unreleased-schema.js';

/** The key of the advisory lock. Arbitrary, but the same in every process and version. */
const MIGRATION_LOCK = 7_201_984;
const LOCK_RETRY_MS = 100;
const TRY_LOCK = 'SELECT pg_try_advisory_lock($1) AS granted';

const logger = createLogger('database');

/**
 * Runs pending migrations. Throws if the database was made by an unreleased version. Safe if several processes start at
 * once: one runs them while the others wait.
 */
export async function migrate(dataSource: DataSource): Promise<void> {
  const runner = dataSource.createQueryRunner();
  try {
    await lock(runner);
    try {
      await rejectUnreleasedSchema(dataSource);
      const applied = await dataSource.runMigrations({ transaction: 'each' });
      for (const { name } of applied) logger.info({ migration: name }, 'migration applied');
    } finally {
      await unlock(runner);
    }
  } finally {
    await runner.release();
  }
}

/**
 * Tries again and again instead of waiting in a statement: CREATE INDEX CONCURRENTLY waits for the end of all statements
 * that began before it, so a migration with this command and a process that waits for the lock would wait for each other.
 */
async function lock(runner: QueryRunner): Promise<void> {
  for (;;) {
    const [row] = (await runner.query(TRY_LOCK, [MIGRATION_LOCK])) as { readonly granted: boolean }[];
    if (row?.granted === true) return;
    await pause(LOCK_RETRY_MS);
  }
}

/** Never throws: a lost connection also releases the lock, and the error must not hide that of a migration. */
async function unlock(runner: QueryRunner): Promise<void> {
  try {
    await runner.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
  } catch (error) {
    logger.warn({ err: error }, 'releasing the migration lock failed; it is released when its connection is closed');
  }
}
