import { loadConfig } from '@app/config';
import { migrate, migrations } from '@app/database';
import { randomBase62 } from '@app/kernel';
import { createHash } from 'node:crypto';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { requireSetting, TestConfig } from './test.config.js';

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** Advisory lock that lets only one test process create the template. */
const TEMPLATE_LOCK_ID = 7_201_985;

/**
 * Creates a database with the current schema for one test, cloned from a template that is migrated once per run. Copying
 * the files takes a third of the CPU time of copying them through the log.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = requireSetting('TEST_DATABASE_URL', loadConfig(TestConfig).databaseUrl);
  const template = await ensureTemplate(server);
  const name = `test_${randomBase62(12).toLowerCase()}`;
  await onServer(server, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`));
  return {
    url: withDatabase(server, name),
    drop: () =>
      onServer(server, async (client) => void (await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))),
  };
}

async function ensureTemplate(server: string): Promise<string> {
  const digest = createHash('sha256').update(migrations.map(String).join('\n')).digest('hex').slice(0, 16);
  const name = `template_${digest}`;
  await onServer(server, async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK_ID]);
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount !== 0) return;
    await client.query(`DROP DATABASE IF EXISTS ${name}_new WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${name}_new`);
    await migrateOnce(withDatabase(server, `${name}_new`));
    await client.query(`ALTER DATABASE ${name}_new RENAME TO ${name}`);
  });
  return name;
}

async function migrateOnce(url: string): Promise<void> {
  const dataSource = await new DataSource({
    type: 'postgres',
    url,
    migrations: [...migrations],
    migrationsTableName: 'schema_migrations',
  }).initialize();
  await migrate(dataSource).finally(() => dataSource.destroy());
}

async function onServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return work(client).finally(() => client.end());
}

function withDatabase(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.toString();
}
