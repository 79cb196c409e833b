import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import pg from 'pg';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';

const SLOW_READS = 60;

describe('an organization whose reads are blocked', () => {
  let platform: Platform;
  let blocker: pg.Client;
  beforeAll(async () => {
    platform = await Platform.start();
    blocker = new pg.Client({ connectionString: platform.databaseUrl });
    await blocker.connect();
  });
  // Otherwise the tests after a failed one would wait for its lock.
  afterEach(() => blocker.query('ROLLBACK'));
  afterAll(async () => {
    await blocker.end();
    await platform.stop();
  });

  const read = (path: string, key: string): Promise<HttpResponse> =>
    call('GET', `${platform.url}/api/v1/${path}`, { key });

  async function blocked(): Promise<number> {
    const text = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
    return (await platform.sql(text)).length;
  }

  it('does not delay the requests of others', async () => {
    const other = (await platform.createOrganization('quiet')).adminKey;
    expect((await read('agents', other)).status).toBe(200);
    await blocker.query('BEGIN');
    await blocker.query('LOCK TABLE skills IN ACCESS EXCLUSIVE MODE');
    let ended = 0;
    const slow = Array.from({ length: SLOW_READS }, async () => {
      const { status } = await read('skills?total=false', platform.adminKey);
      ended += 1;
      return status;
    });
    await eventually(async () => {
      expect(await blocked()).toBeGreaterThan(1);
      const metrics = await (await fetch(`${platform.url}/metrics`)).text();
      expect(Number(/^platform_database_share_waits_total (\d+)/m.exec(metrics)?.[1])).toBeGreaterThan(0);
    });
    for (let n = 0; n < 5; n += 1) expect((await read('agents', other)).status).toBe(200);
    expect(ended).toBe(0);
    await blocker.query('ROLLBACK');
    // Requests that waited for a connection until the time limit.
    expect((await Promise.all(slow)).filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect((await read('skills', platform.adminKey)).status).toBe(200);
  });

  it.each([
    ['analytics', 'execution_series', 'analytics/executions/series'],
    ['traces', 'traces', 'traces'],
  ])('still triggers and runs executions while its long reads wait: %s', async (title, table, path) => {
    const send = (method: string, route: string, body?: object, headers = {}): Promise<HttpResponse> =>
      call(method, `${platform.url}/api/v1/${route}`, { key: platform.adminKey, headers, ...(body && { body }) });
    const user = new Scenario(platform);
    const queueId = await user.newQueue(title);
    const jobId = await user.newJob(await user.newAgent(), {
      executor_type: 'specific_queue',
      worker_queue_name: title,
    });
    const started = await send('POST', `worker-queues/${queueId}/start`, {});
    const worker = `workers/${(started.body as { worker_id: string }).worker_id}`;
    await blocker.query('BEGIN');
    await blocker.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    const long = Array.from({ length: SLOW_READS }, async () => (await read(path, platform.adminKey)).status);
    await eventually(async () => {
      const metrics = await (await fetch(`${platform.url}/metrics`)).text();
      expect(Number(/^platform_database_long_reads_waiting (\d+)/m.exec(metrics)?.[1])).toBeGreaterThan(0);
    });
    const { execution_id } = await user.trigger(jobId, { prompt: 'p' });
    const polled = await send('POST', `${worker}/poll`, { wait_seconds: 30 });
    const [lease] = polled.body as readonly { lease_token: string; execution: { id: string } }[];
    expect(lease?.execution.id).toBe(execution_id);
    expect((await send('POST', `${worker}/heartbeat`, {})).status).toBe(200);
    const headers = { 'X-Lease-Token': lease?.lease_token ?? '' };
    const event = { event_type: 'message', data: { content: 'm' } };
    const reported = await send('POST', `executions/${lease?.execution.id}/events`, event, headers);
    expect(reported.status).toBe(200);
    await blocker.query('ROLLBACK');
    expect((await Promise.all(long)).filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect((await read(path, platform.adminKey)).status).toBe(200);
  });
});
