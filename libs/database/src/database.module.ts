import { DatabaseConfig, MigrationConfig, provideConfig } from '@app/config';
import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { Database } from './database.js';
import { migrate } from './migrate.js';
import { ResilientClient } from './resilient-client.js';
import { migrations } from './migrations/index.js';

const CONNECTION = { Client: ResilientClient, connectionTimeoutMillis: 5000, application_name: 'agent-platform' };

function dataSourceOptions(config: DatabaseConfig): DataSourceOptions {
  return {
    type: 'postgres',
    url: config.url,
    poolSize: config.poolSize,
    synchronize: false,
    migrationsRun: false,
    installExtensions: false,
    migrations: [...migrations],
    migrationsTableName: 'schema_migrations',
    extra: {
      ...CONNECTION,
      ...(config.statementTimeoutMs === 0 ? {} : { statement_timeout: config.statementTimeoutMs }),
    },
  };
}

/** On connections of its own, whose statements may take as long as they need; the lock takes one, each migration one. */
async function migrateUnhurried(options: DataSourceOptions): Promise<void> {
  const dataSource = new DataSource({ ...options, entities: [], poolSize: 2, extra: CONNECTION } as DataSourceOptions);
  await dataSource.initialize();
  try {
    await migrate(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

/** The connection to PostgreSQL. The schema is brought up to date before any other provider can use it. */
@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      extraProviders: [provideConfig(DatabaseConfig), provideConfig(MigrationConfig)],
      inject: [DatabaseConfig, MigrationConfig],
      useFactory: (config: DatabaseConfig, migration: MigrationConfig) => ({
        ...dataSourceOptions(config),
        autoLoadEntities: true,
        retryAttempts: 1,
        migrationsRun: migration.onStart,
      }),
      dataSourceFactory: async (options) => {
        if (options === undefined) throw new Error('The data source has no options');
        const { migrationsRun, ...rest } = options;
        if (migrationsRun === true) await migrateUnhurried({ ...rest, migrationsRun: false });
        return new DataSource({ ...rest, migrationsRun: false }).initialize();
      },
    }),
  ],
  providers: [Database],
  exports: [Database],
})
export class DatabaseModule {}
