import { Client } from 'pg';
import { inTurn, type Figure } from './figures.js';
import { percentiles } from './latency.js';
import { oneByOne } from './load.js';
import type { BenchPlatform, Call } from './platform.js';

const DEAD = 100_000;

/**
 * Dead workers of the only queue of an environment, half of them disconnected and half without a heartbeat for hours.
 * Inserted by SQL: the API would take minutes.
 */
const FILL = `
  INSERT INTO workers (id, organization_id, worker_queue_id, status, dormant, hostname, worker_metadata,
    last_heartbeat_at, disconnected_at, created_at, updated_at)
  SELECT gen_random_uuid()::text, q.organization_id, q.id, CASE n % 2 WHEN 0 THEN 'disconnected' ELSE 'active' END,
    n % 2 = 1, 'dead-' || n, '{}', died.at, CASE n % 2 WHEN 0 THEN died.at END, died.at, died.at
  FROM worker_queues q, generate_series(1, $2::int) n, LATERAL (SELECT now() - interval '20 hours' AS at) died
  WHERE q.environment_id = $1`;

/**
 * A trigger of a job that is routed automatically to a queue of 100,000 dead workers, compared with a queue
 * without dead workers.
 */
export async function besideDeadWorkers(platform: BenchPlatform, rounds: number, count: number): Promise<Figure[]> {
  const { call, databaseUrl } = platform;
  const [graveyard, fresh] = [await newRoutedJob(call), await newRoutedJob(call)];
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  await database.query(FILL, [graveyard.environmentId, DEAD]);
  await database.query('VACUUM ANALYZE workers');
  await database.end();
  const trigger = async ({ jobId }: RoutedJob): Promise<void> => {
    const { status } = await call<{ status: string }>('POST', `/api/v1/jobs/${jobId}/trigger`, {});
    if (status !== 'started') throw new Error(`The job was ${status}`);
  };
  for (const job of [graveyard, fresh]) await oneByOne(50, () => trigger(job));
  const [baseline = [], ours = []] = await inTurn(
    [() => oneByOne(count, () => trigger(fresh)), () => oneByOne(count, () => trigger(graveyard))],
    rounds,
  );
  const name = `trigger, routed automatically, beside ${DEAD.toLocaleString('en')} dead workers of the queue`;
  return percentiles(name, 'the same without dead workers', ours, baseline);
}

interface RoutedJob {
  readonly jobId: string;
  readonly environmentId: string;
}

/** Creates a job of an agent whose only environment has one queue with one live worker. */
async function newRoutedJob(call: Call): Promise<RoutedJob> {
  const name = `bench-${crypto.randomUUID()}`;
  const environment = await call<{ id: string }>('POST', '/api/v1/environments', { name });
  const path = `/api/v1/environments/${environment.id}/worker-queues`;
  const queue = await call<{ id: string }>('POST', path, { name, heartbeat_interval: 300 });
  await call('POST', `/api/v1/worker-queues/${queue.id}/start`);
  const agent = await call<{ id: string }>('POST', '/api/v1/agents', { name, environment_ids: [environment.id] });
  const job = { name, trigger_type: 'manual', executor_type: 'auto', entity_id: agent.id, prompt_template: 'Go' };
  return { jobId: (await call<{ id: string }>('POST', '/api/v1/jobs', job)).id, environmentId: environment.id };
}
