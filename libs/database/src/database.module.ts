import { DatabaseConfig, MigrationConfig, provideConfig } from '@app/config';
import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { Database } from './database.js';
import { migrate } from './migrate.js';
import { ResilientClient } from './resilient-client.js';
import { migrations } from './migrations/index.js';

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
    extra: { Client: ResilientClient, connectionTimeoutMillis: 5000, application_name: 'agent-platform' },
  };
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
        const dataSource = await new DataSource({ ...rest, migrationsRun: false }).initialize();
        if (migrationsRun === true) await migrate(dataSource);
        return dataSource;
      },
    }),
  ],
  providers: [Database],
  exports: [Database],
})
export class DatabaseModule {}
