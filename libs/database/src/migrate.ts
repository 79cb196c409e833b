import { createLogger } from '@app/observability';
import type { DataSource } from 'typeorm';

/** Any constant does, as long as every process uses the same: it names the lock under which migrations run. */
const MIGRATION_LOCK = 7_201_984;

/** Brings the schema up to date. Safe when several processes start at once: the others wait, then find nothing to do. */
export async function migrate(dataSource: DataSource): Promise<void> {
  const runner = dataSource.createQueryRunner();
  await runner.connect();
  try {
    await runner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const applied = await dataSource.runMigrations({ transaction: 'each' });
    for (const { name } of applied) createLogger('database').info({ migration: name }, 'migration applied');
  } finally {
    await runner.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    await runner.release();
  }
}
