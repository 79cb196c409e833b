import { Database } from '@app/database';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { ControlPlaneModule } from '../../apps/control-plane/src/app.module.js';
import { PlatformApiModule } from '../../apps/platform-api/src/app.module.js';
import { provisionPostgres } from '../provision/postgres.js';

/**
 * Returns the statements that would turn the schema after all migrations into that of the entities; empty if equal.
 * Tables without an entity are not compared (CONTRIBUTING.md names them).
 */
export async function schemaDrift(): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'schema-drift-'));
  const postgres = await provisionPostgres({ dataDir: folder, durableInit: false });
  try {
    Object.assign(process.env, {
      DATABASE_URL: postgres.url,
      REDIS_URL: process.env['REDIS_URL'] ?? 'redis://127.0.0.1:1',
    });
    const context = await NestFactory.createApplicationContext(Apis, { logger: false, abortOnError: false });
    const { dataSource } = context.get(Database, { strict: false });
    const upQueries = await schemaChanges(dataSource.options);
    await dataSource.destroy();
    return upQueries;
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The modules of both APIs, and so all entities. They form one application, because an application must have a handler
 * for each outbox topic that the process has loaded.
 */
@Module({ imports: [ControlPlaneModule, PlatformApiModule] })
class Apis {}

/**
 * Compares the entities with the schema. TypeORM reads the schema with concurrent statements on one connection, which
 * the driver supports in its pipeline mode only.
 */
async function schemaChanges(options: DataSourceOptions): Promise<string[]> {
  const extra = { ...(options.extra as object), pipeline: true };
  const dataSource = await new DataSource({ ...options, extra }).initialize();
  try {
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    return upQueries.map(({ query }) => query);
  } finally {
    await dataSource.destroy();
  }
}
