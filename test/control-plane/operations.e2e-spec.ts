import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { parse } from 'yaml';
import { freePort } from '../../tools/provision/free-port.js';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { series } from '../support/metrics.js';

const DOCKER = join(__dirname, '..', '..', 'docker');

/** Words of the query language that look like names of metrics. */
const METRIC_NAME = /\b(?:platform|http|process|nodejs)_[a-z0-9_]+/g;

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly expr: string }[] }[];
}

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
}

describe('what operators see', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.start({ platformApi: true });
  });

  afterAll(() => platform.stop());

  const scrape = async (url: string): Promise<string> => String((await call('GET', `${url}/metrics`)).body);

  it('counts requests by route and status, on both paths', async () => {
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

  it('shows what waits, by queue id and without names', async () => {
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

  it('has every metric that the dashboard and the alert rules name', async () => {
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
  });

  it('has the same metrics of requests at the platform API', async () => {
    const url = platform.platformApi?.url ?? '';
    await eventually(async () => {
      const labels = { method: 'GET', route: '/api/health/live', status: '200' };
      expect(series(await scrape(url), 'http_requests_total', labels)).toBeGreaterThan(0);
    });
  });

  it('serves the metrics at a port of their own only, if one is set', async () => {
    const port = await freePort();
    const { url } = await platform.startControlPlane({ CONTROL_PLANE_METRICS_PORT: String(port) });
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
    const served = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(await served.text()).toContain('# TYPE http_requests_total counter');
    expect((await fetch(`http://127.0.0.1:${port}/api/health`)).status).toBe(404);
  });

  it('is ready while stores, queues and migrations are, and says nothing else', async () => {
    const ready = await call('GET', `${platform.url}/api/health/ready`);
    const up = { postgres: 'up', redis: 'up', queue: 'up', migrations: 'up' };
    expect(ready).toMatchObject({ status: 200, body: { status: 'ok', checks: up } });
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
});

/** The names of the series of a metric. */
function namesOf(name: string, type: string | undefined): string[] {
  return type === 'histogram' ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
}
