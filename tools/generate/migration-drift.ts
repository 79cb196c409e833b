import { Database } from '@app/database';
import type { INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { ControlPlaneModule } from '../../apps/control-plane/src/app.module.js';
import { PlatformApiModule } from '../../apps/platform-api/src/app.module.js';
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
    const contexts = await Promise.all([ControlPlaneModule, PlatformApiModule].map(createContext));
    const dataSources = contexts.map((context) => context.get(Database, { strict: false }).dataSource);
    const upQueries = await schemaChanges(dataSources);
    await Promise.all(dataSources.map((dataSource) => dataSource.destroy()));
    return upQueries;
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function createContext(app: Type): Promise<INestApplicationContext> {
  return NestFactory.createApplicationContext(app, { logger: false, abortOnError: false });
}

/**
 * Compares the entities of all data sources with the schema. Reading the schema sends statements before the last one has
 * ended, which the driver supports in its pipeline mode only.
 */
async function schemaChanges(dataSources: readonly DataSource[]): Promise<string[]> {
  const entities = [...new Set(dataSources.flatMap(({ options }) => Object.values(options.entities ?? {})))];
  const [options] = dataSources.map((dataSource) => dataSource.options);
  const extra = { ...(options?.extra as object), pipeline: true };
  const dataSource = await new DataSource({ ...options, entities, extra } as DataSourceOptions).initialize();
  try {
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    return upQueries.map(({ query }) => query);
  } finally {
    await dataSource.destroy();
  }
}
