import { Database } from '@app/database';
import { NestFactory } from '@nestjs/core';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ControlPlaneModule } from '../../apps/control-plane/src/app.module.js';
import { provisionPostgres } from '../provision/postgres.js';

/** Returns the statements by which the schema after all migrations still differs from the entities; empty if they agree. */
export async function schemaDrift(): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'schema-drift-'));
  const postgres = await provisionPostgres({ dataDir: folder, durableInit: false });
  try {
    Object.assign(process.env, {
      DATABASE_URL: postgres.url,
      REDIS_URL: process.env['REDIS_URL'] ?? 'redis://127.0.0.1:1',
    });
    const context = await NestFactory.createApplicationContext(ControlPlaneModule, {
      logger: false,
      abortOnError: false,
    });
    const { dataSource } = context.get(Database, { strict: false });
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    await dataSource.destroy();
    return upQueries.map(({ query }) => query);
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
