import { createLogger } from '@app/observability';
import type { DataSource, QueryRunner } from 'typeorm';

/** Any constant does, as long as every process uses the same: it names the lock under which migrations run. */
const MIGRATION_LOCK = 7_201_984;

const logger = createLogger('database');

/** Brings the schema up to date. Safe when several processes start at once: the others wait, then find nothing to do. */
export async function migrate(dataSource: DataSource): Promise<void> {
  const runner = dataSource.createQueryRunner();
  try {
    await runner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    try {
      const applied = await dataSource.runMigrations({ transaction: 'each' });
      for (const { name } of applied) logger.info({ migration: name }, 'migration applied');
    } finally {
      await unlock(runner);
    }
  } finally {
    await runner.release();
  }
}

/** It fails where the connection is lost, and the lock with it; that must not hide what went wrong with a migration. */
async function unlock(runner: QueryRunner): Promise<void> {
  try {
    await runner.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
  } catch (error) {
    logger.warn({ err: error }, 'the migration lock was not given back; it ends with its connection');
  }
}
