import { Database } from '@app/database';
import { NestFactory } from '@nestjs/core';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource, type DataSourceOptions } from 'typeorm';
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
    const { upQueries } = await withPipelines(dataSource, (pipelined) => pipelined.driver.createSchemaBuilder().log());
    await dataSource.destroy();
    return upQueries.map(({ query }) => query);
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reading the schema sends statements before the last one has ended, which the driver supports in its pipeline mode only. */
async function withPipelines<T>({ options }: DataSource, work: (dataSource: DataSource) => Promise<T>): Promise<T> {
  const extra = { ...(options.extra as object), pipeline: true };
  const pipelined = await new DataSource({ ...options, extra } as DataSourceOptions).initialize();
  try {
    return await work(pipelined);
  } finally {
    await pipelined.destroy();
  }
}
