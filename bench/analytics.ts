import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { alone, type Figure } from './figures.js';
import { oneByOne } from './load.js';
import type { BenchPlatform } from './platform.js';
import { percentile } from './statistics.js';

const DAY_MS = 86_400_000;
const PERIOD_DAYS = 92;
const CHUNK = 50_000;

/**
 * Inserts ended executions of 50 agents, evenly over 92 days; every tenth failed, with one of 20 causes. Numbered from
 * `$2` to `$3`.
 */
const FILL_EXECUTIONS = `
  INSERT INTO executions (organization_id, id, execution_type, entity_id, status, error_message, cause, usage,
    execution_metadata, participants, created_at, started_at, completed_at, updated_at, trigger_metadata, config,
    execution_environment, attempt, max_attempts, model, input_tokens, output_tokens, total_tokens, cost_nanos)
  SELECT organization_id, 'analyzed-' || n, 'agent', 'agent-' || n % 50, CASE WHEN n % 10 = 0 THEN 'failed' ELSE 'completed' END,
    CASE WHEN n % 10 = 0 THEN 'error ' || n END, CASE WHEN n % 10 = 0 THEN lpad(to_hex(n % 200), 16, '0') END, '{}', '{}', '[]',
    at, at + interval '1 second', at + (1 + n % 60) * interval '1 second', at, '{}', '{}', '{}', 1, 3,
    'model-' || n % 3, 100, 50, 150, 1000
  FROM executions, generate_series($2::integer, $3::integer) n,
    LATERAL (SELECT now() - interval '92 days' + n * ($4::float8 * interval '1 millisecond') AS at) placed
  WHERE id = $1`;

const FILL_TASKS = `
  INSERT INTO task_records (organization_id, execution_id, task_id, id, status, metadata, created_at, updated_at)
  SELECT organization_id, 'analyzed-' || n / 5, 'task-' || n, 'analyzed-' || n,
    CASE WHEN n % 20 = 0 THEN 'failed' ELSE 'completed' END, '{}', at, at
  FROM executions, generate_series($2::integer, $3::integer) n,
    LATERAL (SELECT now() - interval '92 days' + n * ($4::float8 * interval '1 millisecond') AS at) placed
  WHERE id = $1`;

/** Analytics of an organization with this many ended executions, each with five task records, in 92 days. */
export async function analytics(
  { call, databaseUrl }: BenchPlatform,
  executionId: string,
  executions: number,
  count: number,
): Promise<Figure[]> {
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  await fill(database, FILL_EXECUTIONS, executionId, executions);
  await fill(database, FILL_TASKS, executionId, 5 * executions);
  await waitUntilFolded(database);
  await database.query('VACUUM ANALYZE');
  await database.end();
  const [before, from, week] = [PERIOD_DAYS - 0.01, 60.3, 6.99].map((days) =>
    new Date(Date.now() - days * DAY_MS).toISOString(),
  );
  const to = new Date(Date.now() - 1.7 * DAY_MS).toISOString();
  const routes = {
    'summary without bounds': 'summary',
    'summary of 58.6 days': `summary?time_from=${from}&time_to=${to}`,
    'series of 92 days': `executions/series?from=${before}&bucket_seconds=21600`,
    'series of 92 days of an agent': `executions/series?from=${before}&bucket_seconds=21600&entity_id=agent-7`,
    'series of a day by 5 minutes': 'executions/series?bucket_seconds=300',
    'failures of 7 days': `executions/failures?from=${week}`,
  };
  const size = `of ${executions.toLocaleString('en')} executions, ${(5 * executions).toLocaleString('en')} task records`;
  const figures: Figure[] = [];
  for (const [name, path] of Object.entries(routes)) {
    const times = await oneByOne(count, () => call('GET', `/api/v1/analytics/${path}`));
    figures.push(alone(`${name} ${size}, p50`, 'ms', [percentile(times, 0.5)]));
    figures.push(alone(`${name} ${size}, p99`, 'ms', [percentile(times, 0.99)]));
  }
  return figures;
}

async function fill(database: Client, statement: string, executionId: string, rows: number): Promise<void> {
  const step = (PERIOD_DAYS * DAY_MS) / rows;
  for (let first = 1; first <= rows; first += CHUNK) {
    await database.query(statement, [executionId, first, Math.min(rows, first + CHUNK - 1), step]);
  }
}

/** Waits for the periodic task of the control plane. */
async function waitUntilFolded(database: Client): Promise<void> {
  for (;;) {
    const { rows } = await database.query<{ left: boolean }>(
      'SELECT EXISTS (SELECT 1 FROM execution_facts) OR EXISTS (SELECT 1 FROM record_changes) AS left',
    );
    if (rows[0]?.left !== true) return;
    await delay(200);
  }
}
