import { DatabaseConfig, MigrationConfig, provideConfig } from '@app/config';
import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { getDataSourceToken, TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { Database } from './database.js';
import { EntityDependents } from './references/entity-dependents.js';
import { EntityResolvers } from './references/entity-resolvers.js';
import { EntityUses } from './references/entity-uses.js';
import { LONG_READS } from './pool/connections.js';
import { FairPool } from './pool/fair-pool.js';
import { Partitions } from './partitions/partitions.js';
import { migrate } from './migrate.js';
import { Revisions } from './revisions/revisions.js';
import { PoolMetrics } from './pool/pool-metrics.js';
import { ResilientClient } from './pool/resilient-client.js';
import { MIGRATIONS_TABLE } from './migrations.sql.js';
import { migrations } from './migrations/index.js';
import { rejectUnreleasedSchema } from './unreleased-schema.js';

const CONNECTION = {
  Client: ResilientClient,
  connectionTimeoutMillis: 5000,
  application_name: 'agent-platform',
  // Queries are sent without waiting for the response to the previous one, see `TurnReads`.
  pipeline: true,
};

/** Number of unanswered keepalives after which PostgreSQL considers the client dead. */
const LOST_KEEPALIVES = 3;
const KEEPALIVE_INTERVAL_SECONDS = 5;

/**
 * Lets both ends detect that the other one has disappeared: otherwise sessions of dead processes stay open, and
 * connections to dead servers.
 */
function keepalive({ keepaliveSeconds: idle }: DatabaseConfig): object {
  if (idle === 0) return {};
  const dead = idle + LOST_KEEPALIVES * KEEPALIVE_INTERVAL_SECONDS;
  const server = {
    tcp_keepalives_idle: idle,
    tcp_keepalives_interval: KEEPALIVE_INTERVAL_SECONDS,
    tcp_keepalives_count: LOST_KEEPALIVES,
    // The system sends no keepalives while it waits for the acknowledgement of data.
    tcp_user_timeout: dead * 1000,
  };
  const options = Object.entries(server).map(([name, value]) => `-c ${name}=${value}`);
  return { keepAlive: true, keepAliveInitialDelayMillis: idle * 1000, options: options.join(' ') };
}

/** The time limits of statements. Migrations run without them. */
function timeLimits({ idleTransactionTimeoutMs, responseGraceMs }: DatabaseConfig, statementTimeoutMs: number): object {
  return {
    ...(idleTransactionTimeoutMs === 0 ? {} : { idle_in_transaction_session_timeout: idleTransactionTimeoutMs }),
    ...(statementTimeoutMs === 0
      ? {}
      : { statement_timeout: statementTimeoutMs, responseTimeoutMs: statementTimeoutMs + responseGraceMs }),
  };
}

const NO_TIME_LIMITS = { idle_in_transaction_session_timeout: 0, statement_timeout: 0, responseTimeoutMs: 0 };

function dataSourceOptions(config: DatabaseConfig) {
  return {
    type: 'postgres',
    url: config.url,
    poolSize: config.poolSize,
    synchronize: false,
    migrationsRun: false,
    installExtensions: false,
    migrations: [...migrations],
    migrationsTableName: MIGRATIONS_TABLE,
    extra: { ...CONNECTION, ...keepalive(config), ...timeLimits(config, config.statementTimeoutMs) },
  } satisfies DataSourceOptions;
}

/** Reads that may take long have few connections of their own, so that they take none from other requests. */
function longReadOptions(config: DatabaseConfig) {
  const options = dataSourceOptions(config);
  return {
    ...options,
    poolSize: config.longReadPoolSize,
    migrations: [],
    driver: { Pool: FairPool },
    extra: { ...options.extra, ...NO_TIME_LIMITS, ...timeLimits(config, config.longReadTimeoutMs) },
    // The process ends instead, with the error as its last line.
    toRetry: (): boolean => false,
  } satisfies TypeOrmModuleOptions;
}

/** Uses separate connections without time limits: one holds the lock, the other runs the migrations. */
async function migrateWithoutTimeout(options: DataSourceOptions): Promise<void> {
  const extra = { ...(options.extra as object), ...NO_TIME_LIMITS };
  const dataSource = new DataSource({ ...options, entities: [], poolSize: 2, extra } as DataSourceOptions);
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

/** The connection to PostgreSQL. With `MigrationConfig.onStart`, migrations run before any provider can use it. */
@Global()
@Module({
  imports: [
    DiscoveryModule,
    TypeOrmModule.forRootAsync({
      extraProviders: [provideConfig(DatabaseConfig), provideConfig(MigrationConfig)],
      inject: [DatabaseConfig, MigrationConfig],
      useFactory: (config: DatabaseConfig, migration: MigrationConfig) => ({
        ...dataSourceOptions(config),
        autoLoadEntities: true,
        // The process ends instead, with the error as its last line.
        toRetry: () => false,
        migrationsRun: migration.onStart,
      }),
      dataSourceFactory: async (options) => {
        if (options === undefined) throw new Error('The data source has no options');
        const { migrationsRun, ...rest } = options;
        if (migrationsRun === true) await migrateWithoutTimeout({ ...rest, migrationsRun: false });
        // Not for migrations: they need both connections of their pool of two, and a `FairPool` lends one of them at
        // most to work without an organization.
        const driver = { Pool: FairPool };
        return initializeOnReleasedSchema({ ...rest, driver, migrationsRun: false });
      },
    }),
    TypeOrmModule.forRootAsync({
      name: LONG_READS,
      extraProviders: [provideConfig(DatabaseConfig)],
      // The main data source is injected to be connected first, so that a start fails with one error only.
      inject: [DatabaseConfig, getDataSourceToken()],
      useFactory: longReadOptions,
    }),
  ],
  providers: [Database, EntityDependents, EntityResolvers, EntityUses, Partitions, PoolMetrics, Revisions],
  exports: [Database, EntityDependents, EntityResolvers, EntityUses, Partitions, Revisions],
})
export class DatabaseModule {}
