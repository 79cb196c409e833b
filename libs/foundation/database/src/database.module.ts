import { DatabaseConfig, MigrationConfig, provideConfig } from '@app/config';
import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { getDataSourceToken, TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import { Pool } from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { Database } from './database.js';
import { EntityDependents } from './references/entity-dependents.js';
import { EntityResolvers } from './references/entity-resolvers.js';
import { EntityUses } from './references/entity-uses.js';
import { connectionOptions, unlimitedOptions } from './pool/connection-options.js';
import { LONG_READS } from './pool/connections.js';
import { DatabaseServers, type ServerAccess } from './pool/database-servers.js';
import { FairPool } from './pool/fair-pool.js';
import { Partitions } from './partitions/partitions.js';
import { migrate } from './migrate.js';
import { Revisions } from './revisions/revisions.js';
import { PoolMetrics } from './pool/pool-metrics.js';
import { MIGRATIONS_TABLE } from './migrations.sql.js';
import { migrations } from './migrations/index.js';
import { rejectUnreleasedSchema } from './unreleased-schema.js';

function dataSourceOptions(config: DatabaseConfig, access: ServerAccess) {
  return {
    type: 'postgres',
    url: access.servers.address.url,
    poolSize: config.poolSize,
    synchronize: false,
    migrationsRun: false,
    installExtensions: false,
    migrations: [...migrations],
    migrationsTableName: MIGRATIONS_TABLE,
    extra: connectionOptions(config, access, config.statementTimeoutMs),
  } satisfies DataSourceOptions;
}

/** Reads that may take long have few connections of their own, so that they take none from other requests. */
function longReadOptions(config: DatabaseConfig, access: ServerAccess) {
  return {
    ...dataSourceOptions(config, access),
    poolSize: config.longReadPoolSize,
    migrations: [],
    driver: { Pool: FairPool },
    extra: connectionOptions(config, access, config.longReadTimeoutMs),
    // The process ends instead, with the error as its last line.
    toRetry: (): boolean => false,
  } satisfies TypeOrmModuleOptions;
}

/** Uses separate connections without time limits: one holds the lock, the other runs the migrations. */
async function migrateWithoutTimeout(config: DatabaseConfig, access: ServerAccess): Promise<void> {
  const options = dataSourceOptions(config, access);
  const extra = unlimitedOptions(config, access);
  // Without a driver, TypeORM loads `pg` from node_modules, which images do not have.
  const dataSource = new DataSource({ ...options, poolSize: 2, extra, driver: { Pool } });
  await dataSource.initialize();
  try {
    await migrate(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

/** Also for processes that run no migrations, see `rejectUnreleasedSchema`. */
async function initializeOnReleasedSchema(options: DataSourceOptions): Promise<DataSource> {
  const dataSource = await new DataSource(options).initialize();
  try {
    await rejectUnreleasedSchema(dataSource);
    return dataSource;
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
}

@Module({ providers: [provideConfig(DatabaseConfig), DatabaseServers], exports: [DatabaseConfig, DatabaseServers] })
class DatabaseServersModule {}

/** The connection to PostgreSQL. With `MigrationConfig.onStart`, migrations run before any provider can use it. */
@Global()
@Module({
  imports: [
    DiscoveryModule,
    DatabaseServersModule,
    TypeOrmModule.forRootAsync({
      imports: [DatabaseServersModule],
      extraProviders: [provideConfig(MigrationConfig)],
      inject: [DatabaseConfig, DatabaseServers, MigrationConfig],
      useFactory: async (config: DatabaseConfig, servers: DatabaseServers, migration: MigrationConfig) => {
        if (migration.onStart) await migrateWithoutTimeout(config, await servers.direct());
        return {
          ...dataSourceOptions(config, await servers.main()),
          autoLoadEntities: true,
          // Not for migrations: they need both connections of their pool of two, and a `FairPool` lends one of them at
          // most to work without an organization.
          driver: { Pool: FairPool },
          // The process ends instead, with the error as its last line.
          toRetry: () => false,
        };
      },
      dataSourceFactory: async (options) => {
        if (options === undefined) throw new Error('The data source has no options');
        return initializeOnReleasedSchema(options);
      },
    }),
    TypeOrmModule.forRootAsync({
      name: LONG_READS,
      imports: [DatabaseServersModule],
      // The main data source is injected to be connected first, so that a start fails with one error only.
      inject: [DatabaseConfig, DatabaseServers, getDataSourceToken()],
      useFactory: async (config: DatabaseConfig, servers: DatabaseServers) =>
        longReadOptions(config, await servers.longReads()),
    }),
  ],
  providers: [Database, EntityDependents, EntityResolvers, EntityUses, Partitions, PoolMetrics, Revisions],
  exports: [Database, EntityDependents, EntityResolvers, EntityUses, Partitions, Revisions],
})
export class DatabaseModule {}
