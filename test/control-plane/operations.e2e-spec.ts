import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { VERSION } from '@app/kernel';
import { eventually } from '@app/testing';
import { parse } from 'yaml';
import { freePort } from '../../tools/provision/free-port.js';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { series } from '../support/metrics.js';

const DOCKER = join(__dirname, '..', '..', 'docker');

/** The names of metrics in a PromQL expression. */
const METRIC_NAME = /\b(?:platform|http|process|nodejs)_[a-z0-9_]+/g;

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly expr: string }[] }[];
}

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
}

describe('the routes for operators', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.start({ platformApi: true });
  });

  afterAll(() => platform.stop());

  const scrape = async (url: string): Promise<string> => String((await call('GET', `${url}/metrics`)).body);

  it('count requests by route and status, on hot and ordinary routes', async () => {
    const started = await call('POST', `${platform.url}/api/v1/workers/register`, { key: platform.adminKey });
    const { worker_id } = started.body as { worker_id: string };
    const heartbeats = `${platform.url}/api/v1/workers/${worker_id}/heartbeat`;
    for (let sent = 0; sent < 3; sent += 1) await call('POST', heartbeats, { key: platform.adminKey });
    await call('POST', heartbeats, {});
    await call('GET', `${platform.url}/api/v1/jobs/none?secret=1`, { key: platform.adminKey });
    await call('GET', `${platform.url}/no/such/route`, { key: platform.adminKey });
    await eventually(async () => {
      const text = await scrape(platform.url);
      const heartbeat = { method: 'POST', route: '/api/v1/workers/:worker_id/heartbeat' };
      expect(series(text, 'http_requests_total', { ...heartbeat, status: '200' })).toBe(3);
      expect(series(text, 'http_requests_total', { ...heartbeat, status: '401' })).toBe(1);
      expect(series(text, 'http_request_duration_seconds_count', heartbeat)).toBe(4);
      expect(series(text, 'http_request_duration_seconds_bucket', { ...heartbeat, le: '+Inf' })).toBe(4);
      expect(series(text, 'platform_worker_heartbeats_total', {})).toBe(3);
      const job = { method: 'GET', route: '/api/v1/jobs/:job_id', status: '404' };
      expect(series(text, 'http_requests_total', job)).toBe(1);
      expect(series(text, 'http_requests_total', { method: 'GET', route: 'unmatched', status: '404' })).toBe(1);
    });
  });

  it('show the waiting executions by queue id, without names', async () => {
    const key = platform.adminKey;
    const { body } = await call('POST', `${platform.url}/api/v1/agents`, { key, body: { name: 'very-secret-name' } });
    const { id } = body as { id: string };
    await call('POST', `${platform.url}/api/v1/agents/${id}/execute`, { key, body: { prompt: 'Wait' } });
    const queues = (await call('GET', `${platform.url}/api/v1/worker-queues`, { key })).body as { id: string }[];
    await eventually(async () => {
      const text = await scrape(platform.url);
      expect(series(text, 'platform_queue_waiting_executions', { queue: queues[0]?.id ?? '' })).toBe(1);
      expect(series(text, 'platform_outbox_messages', {})).toBe(0);
      expect(text).not.toContain('very-secret-name');
      expect(text).not.toContain(key);
    });
  });

  it('include every metric that the dashboard and the alert rules name; the dashboard names every metric of the platform', async () => {
    const rules = parse(readFileSync(join(DOCKER, 'prometheus/alerts.yaml'), 'utf8')) as Rules;
    const dashboard = JSON.parse(readFileSync(join(DOCKER, 'grafana/dashboard.json'), 'utf8')) as Dashboard;
    const expressions = [
      ...rules.groups.flatMap((group) => group.rules.map(({ expr }) => expr)),
      ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ];
    const named = expressions.flatMap((expression) => expression.match(METRIC_NAME) ?? []);
    const text = await scrape(platform.url);
    const known = new Set(
      [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) => namesOf(name, type)),
    );
    expect(named.length).toBeGreaterThan(30);
    expect([...new Set(named)].filter((name) => !known.has(name))).toEqual([]);
    const own = [...text.matchAll(/^# TYPE (platform_\S+) (\S+)$/gm)].map(([, name = '', type]) => namesOf(name, type));
    expect(own.filter((names) => !names.some((name) => named.includes(name)))).toEqual([]);
  });

  it('include the same request metrics on the platform API', async () => {
    const url = platform.platformApi?.url ?? '';
    await eventually(async () => {
      const labels = { method: 'GET', route: '/api/health/live', status: '200' };
      expect(series(await scrape(url), 'http_requests_total', labels)).toBeGreaterThan(0);
    });
  });

  it('serve the metrics only at their own port, if one is set', async () => {
    const port = await freePort();
    const { url } = await platform.startControlPlane({ CONTROL_PLANE_METRICS_PORT: String(port) });
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
    const served = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(await served.text()).toContain('# TYPE http_requests_total counter');
    expect((await fetch(`http://127.0.0.1:${port}/api/health`)).status).toBe(404);
  });

  it('list queues with their waiting and running executions and their workers, and the leases of a worker', async () => {
    const key = platform.adminKey;
    const json = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> =>
      (await call(method, `${platform.url}/api/v1${path}`, { key, body })).body as Record<string, unknown>;
    const queue = await json('POST', '/environments/default/worker-queues', { name: 'loaded', max_workers: 3 });
    const queueId = String(queue['id']);
    const agent = await json('POST', '/agents', { name: 'loaded' });
    const run = { prompt: 'Wait', worker_queue_id: queueId };
    for (let started = 0; started < 3; started += 1) await json('POST', `/agents/${String(agent['id'])}/execute`, run);
    const worker = await json('POST', `/worker-queues/${queueId}/start`);
    const workerId = String(worker['worker_id']);
    const [lease] = (await json('POST', `/workers/${workerId}/poll`, { max: 1 })) as unknown as {
      execution: { id: string };
    }[];
    const executionId = lease?.execution.id ?? '';
    const statusOf = (status: string): Promise<unknown> => json('PATCH', `/executions/${executionId}`, { status });
    await statusOf('running');

    const listed = await call('GET', `${platform.url}/api/v1/worker-queue-load`, { key });
    expect(Number(listed.headers.get('x-total-count'))).toBe((listed.body as unknown[]).length);
    const load = (listed.body as { queue_id: string }[]).find(({ queue_id }) => queue_id === queueId);
    expect(load).toEqual({
      queue_id: queueId,
      queue_name: 'loaded',
      environment_id: queue['environment_id'],
      environment_name: 'default',
      status: 'active',
      max_workers: 3,
      waiting: 2,
      oldest_waiting_at: expect.any(String),
      running: 1,
      paused: 0,
      waiting_for_input: 0,
      oldest_waiting_for_input_at: null,
      at: expect.any(String),
      workers: { active: 1, idle: 0, busy: 0, stale: 0 },
    });
    const held = `/workers/${workerId}/leases`;
    expect(await json('GET', held)).toEqual([
      {
        execution_id: executionId,
        execution_type: 'agent',
        entity_name: 'loaded',
        status: 'running',
        attempt: 1,
        max_attempts: 3,
        leased_at: expect.any(String),
        expires_at: expect.any(String),
        command: null,
        command_at: null,
      },
    ]);
    await statusOf('waiting_for_input');
    const parked = (await json('GET', '/worker-queue-load')) as unknown as { queue_id: string }[];
    expect(parked.find(({ queue_id }) => queue_id === queueId)).toMatchObject({
      running: 0,
      waiting_for_input: 1,
      oldest_waiting_for_input_at: expect.any(String),
    });
    await statusOf('running');
    await statusOf('completed');
    expect(await json('GET', held)).toEqual([]);

    const series = `/worker-queue-load/series?queue_id=${queueId}`;
    await eventually(async () => {
      const { bucket_seconds, buckets } = (await json('GET', series)) as unknown as {
        bucket_seconds: number;
        buckets: readonly { waiting_max: number; workers_min: number; at: string }[];
      };
      expect(bucket_seconds).toBe(300);
      expect(buckets.length).toBeGreaterThanOrEqual(288);
      expect(buckets.at(-1)).toMatchObject({ waiting_max: 2 });
    });
  });

  it('reject invalid periods and unknown queues of a series of loads', async () => {
    const key = platform.adminKey;
    const read = (query: string): Promise<{ readonly status: number }> =>
      call('GET', `${platform.url}/api/v1/worker-queue-load/series?${query}`, { key });
    expect((await read('queue_id=none')).status).toBe(404);
    for (const query of [
      'from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z',
      'bucket_seconds=61',
      'from=2020-01-01T00:00:00Z',
    ])
      expect((await read(query)).status).toBe(422);
    expect(
      (await call('GET', `${platform.url}/api/v1/workers/01900000-0000-7000-8000-000000000000/leases`, { key })).status,
    ).toBe(404);
  });

  it('report readiness while stores, queues and migrations are up, without further details', async () => {
    const ready = await call('GET', `${platform.url}/api/health/ready`);
    const up = { postgres: 'up', writes: 'up', redis: 'up', queue: 'up', migrations: 'up' };
    expect(ready).toMatchObject({ status: 200, body: { status: 'ok', version: VERSION, checks: up } });
    const [{ name } = { name: '' }] = await platform.sql<{ name: string }>(
      'DELETE FROM schema_migrations WHERE id = (SELECT max(id) FROM schema_migrations) RETURNING name',
    );
    await eventually(async () =>
      expect(await call('GET', `${platform.url}/api/health/ready`)).toMatchObject({
        status: 503,
        body: { status: 'unavailable', checks: { ...up, migrations: 'down' } },
      }),
    );
    await platform.sql('INSERT INTO schema_migrations (timestamp, name) VALUES (0, $1)', [name]);
    await eventually(async () => expect((await call('GET', `${platform.url}/api/health/ready`)).status).toBe(200));
  });

  const readiness = async (): Promise<unknown> => (await call('GET', `${platform.url}/api/health/ready`)).body;
  const isWritable = async (writes: 'up' | 'down'): Promise<void> =>
    eventually(async () => expect(await readiness()).toMatchObject({ checks: { postgres: 'up', writes } }));
  const createProject = (name: string): ReturnType<typeof call> =>
    call('POST', `${platform.url}/api/v1/projects`, { key: platform.adminKey, body: { name, key: name } });
  const refused = async (reason: string): Promise<number> =>
    series(await scrape(platform.url), 'platform_database_refused_writes_total', { reason }) ?? 0;

  it('report a full disk from the first write that fails until there is space', async () => {
    const [tables, projects] = ['no_space_for_tables', 'no_space_for_projects'];
    await platform.sql(`
      CREATE FUNCTION ${tables}() RETURNS event_trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
      CREATE FUNCTION ${projects}() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
      CREATE EVENT TRIGGER ${tables} ON ddl_command_start WHEN TAG IN ('CREATE TABLE AS') EXECUTE FUNCTION ${tables}();
      CREATE TRIGGER ${projects} BEFORE INSERT ON projects EXECUTE FUNCTION ${projects}()`);
    await isWritable('up');
    expect((await createProject('FULL')).status).toBe(503);
    await isWritable('down');
    expect(await refused('disk_full')).toBeGreaterThan(0);
    await platform.sql(`
      DROP EVENT TRIGGER ${tables};
      DROP FUNCTION ${projects}() CASCADE;
      DROP FUNCTION ${tables}()`);
    await isWritable('up');
    expect((await createProject('SPACE')).status).toBe(201);
  });

  it('report a database that is read-only', async () => {
    const setReadOnly = async (setting: string): Promise<void> => {
      await platform.sql(`BEGIN READ WRITE;
      DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = ${setting}', current_database());
        PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid();
      END $$;
      COMMIT`);
    };
    await setReadOnly('on');
    await isWritable('down');
    await setReadOnly('off');
    await isWritable('up');
    expect((await createProject('WRITABLE')).status).toBe(201);
  });
});

/** The names of the series of a metric. */
function namesOf(name: string, type: string | undefined): string[] {
  return type === 'histogram' ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
}
