import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { provisionPostgres } from '../../tools/provision/postgres.js';
import { provisionRedis } from '../../tools/provision/redis.js';
import { startControlPlane, type Build, type Call, type ControlPlane, type Stores } from '../platform.js';
import { stopProcess } from '../processes.js';
import { prepareSetting, type Setting } from '../setting.js';
import { belongings, deliveries, executions, resources, type Origin, type Size } from './fill.sql.js';

/** With this level, rows and indexes of a transaction that truncates their table are not in the write-ahead log. */
const LOADED_WITHOUT_LOG = { wal_level: 'minimal', max_wal_senders: '0' };
const MEMORY = { shared_buffers: '1GB', maintenance_work_mem: '1GB', work_mem: '64MB' };
/** A checkpoint while rows are inserted would write pages that change again. */
const FEW_CHECKPOINTS = { max_wal_size: '4GB', checkpoint_timeout: '30min' };
/** Nothing is pruned beside the measurement; retention is measured by itself. */
const KEPT = { EXECUTION_RETENTION_DAYS: '0', DELIVERY_RETENTION_DAYS: '0', TRACE_RETENTION_DAYS: '0' };
const SETTINGS = { ...KEPT, WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' };
const CHUNK = 500_000;
/** The tables with many rows. */
const FILLED = ['executions', 'execution_transitions', 'session_messages', 'execution_sessions', 'user_sessions'];

/** Statements that drop the indexes and keys of tables, and that create them again in the reverse order. `$1` tables. */
const DEPENDENT_ON_TABLES = `
  SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS dropping,
    format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS creating,
    CASE contype WHEN 'f' THEN 1 ELSE 2 END AS turn
  FROM pg_constraint
  WHERE conrelid = ANY($1::text[]::regclass[]) AND contype IN ('p', 'u') OR confrelid = ANY($1::text[]::regclass[])
  UNION ALL
  SELECT format('DROP INDEX %s', indexrelid::regclass), pg_get_indexdef(indexrelid), 3
  FROM pg_index WHERE indrelid = ANY($1::text[]::regclass[])
    AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u'))
  ORDER BY turn`;

/** A control plane whose database has rows of a size, and a job, queue and worker of the measured organization. */
export interface SizedPlatform {
  readonly size: Size;
  readonly build: Build;
  readonly setting: Setting;
  readonly webhookId: string;
  readonly database: Client;
}

export interface SizedPlatforms {
  readonly platforms: readonly SizedPlatform[];
  readonly stop: () => Promise<void>;
}

/** Starts a control plane, with a Redis of its own, on a database of each size. All databases share a PostgreSQL server. */
export async function startSizedPlatforms(sizes: readonly Size[]): Promise<SizedPlatforms> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-growth-'));
  const settings = { ...LOADED_WITHOUT_LOG, ...MEMORY, ...FEW_CHECKPOINTS, max_connections: '300' };
  const postgres = await provisionPostgres({ dataDir: join(folder, 'postgres'), settings });
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(stops.map((end) => end()));
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const platforms: SizedPlatform[] = [];
    for (const size of sizes) {
      const redis = await provisionRedis({ dataDir: join(folder, `redis-${size.executions}`) });
      stops.push(() => redis.stop());
      const databaseUrl = new URL(postgres.url);
      databaseUrl.pathname = `/of_${size.executions}`;
      await run(postgres.url, async (client) => client.query(`CREATE DATABASE of_${size.executions}`));
      const { platform, process } = await start(size, { DATABASE_URL: databaseUrl.href, REDIS_URL: redis.url });
      stops.push(async () => {
        await platform.database.end();
        await stopProcess(process);
      });
      platforms.push(platform);
    }
    for (const { database } of platforms) await waitUntilFolded(database);
    return { platforms, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(
  size: Size,
  stores: Stores,
): Promise<{ platform: SizedPlatform; process: ControlPlane['process'] }> {
  const former = await startControlPlane(stores, undefined, SETTINGS);
  const setting = await prepareSetting(former.build);
  const webhook = { url: 'http://127.0.0.1:9/growth', events: ['execution.failed'] };
  const webhookId = (await former.build.call<{ id: string }>('POST', '/api/v1/webhooks', webhook)).id;
  const origin = await originOf(former.build.call, stores.DATABASE_URL, setting);
  await stopProcess(former.process);
  await run(stores.DATABASE_URL, (client) => fill(client, size, origin, webhookId));
  const { build, process } = await startControlPlane(stores, undefined, SETTINGS);
  const database = new Client({ connectionString: stores.DATABASE_URL });
  await database.connect();
  return { platform: { size, build, setting, webhookId, database }, process };
}

async function originOf(call: Call, databaseUrl: string, { jobId, idleWorkerId }: Setting): Promise<Origin> {
  const [agent] = await call<{ id: string }[]>('GET', '/api/v1/agents');
  const [environment] = await call<{ id: string }[]>('GET', '/api/v1/environments');
  const worker = { organizationId: '', queueId: '' };
  await run(databaseUrl, async (client) => {
    const text = 'SELECT organization_id, worker_queue_id FROM workers WHERE id = $1';
    const { rows } = await client.query<{ organization_id: string; worker_queue_id: string }>(text, [idleWorkerId]);
    worker.organizationId = rows[0]?.organization_id ?? '';
    worker.queueId = rows[0]?.worker_queue_id ?? '';
  });
  if (agent === undefined || environment === undefined) throw new Error('The setting is not complete');
  return { ...worker, agentId: agent.id, environmentId: environment.id, jobId, workerId: idleWorkerId };
}

/** Indexes and triggers are absent while rows are inserted: building an index of all rows takes a fraction of the time. */
async function fill(client: Client, size: Size, origin: Origin, webhookId: string): Promise<void> {
  const started = performance.now();
  for (const text of resources(size, origin)) await client.query(text);
  const indexes = await dropIndexes(client, FILLED);
  await client.query(`BEGIN; ALTER TABLE executions DISABLE TRIGGER USER; ${FILLED.map(emptied).join(' ')}`);
  for (let first = 1; first <= size.executions; first += CHUNK) {
    await client.query(executions(size, origin, first, Math.min(size.executions, first + CHUNK - 1)));
  }
  for (const text of belongings(origin)) await client.query(text);
  await client.query('ALTER TABLE executions ENABLE TRIGGER USER; COMMIT');
  for (const text of [deliveries(size, webhookId), ...indexes]) await client.query(text);
  await client.query('VACUUM ANALYZE');
  const seconds = Math.round((performance.now() - started) / 1000);
  console.error(`==> ${size.executions.toLocaleString('en')} executions were inserted in ${seconds} s`);
}

/** Statements that truncate a table and insert its former rows again. */
function emptied(table: string): string {
  return `CREATE TEMP TABLE kept_${table} AS SELECT * FROM ${table}; TRUNCATE ${table};
    INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM kept_${table};`;
}

/** Drops the indexes of tables, and the keys that refer to them. Returns the statements that create them again. */
async function dropIndexes(client: Client, tables: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ dropping: string; creating: string }>(DEPENDENT_ON_TABLES, [tables]);
  for (const { dropping } of rows) await client.query(dropping);
  return rows.map(({ creating }) => creating).toReversed();
}

/** Waits until a control plane has added all ended executions to the aggregates of analytics. */
async function waitUntilFolded(database: Client): Promise<void> {
  const text = 'SELECT EXISTS (SELECT 1 FROM execution_facts) AS left';
  while ((await database.query<{ left: boolean }>(text)).rows[0]?.left === true) await delay(500);
}

async function run(databaseUrl: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
