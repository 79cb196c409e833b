import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import pg from 'pg';
import { call, type HttpResponse } from '../support/http.js';
import { sizeOf } from '../support/long-form.js';
import { otlpRequest } from '../support/otlp-request.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';

const READERS = 3;
/** Time limit of a read in seconds. The reads together take `ROUNDS` times as long: two minutes in the long form. */
const LIMIT_SECONDS = sizeOf({ short: 2, long: 20 });
const ROUNDS = sizeOf({ short: 3, long: 6 });
const DEAD_ROWS = 10_000;
/** Partitions exist for today and so many further days, besides the default partition. */
const TRACE_DAYS_AHEAD = 7;

/** The transactions whose snapshots VACUUM must respect. */
const SNAPSHOTS = `SELECT pid, state, wait_event, backend_xid, backend_xmin, now() - xact_start AS age, query
  FROM pg_stat_activity WHERE backend_xid IS NOT NULL OR backend_xmin IS NOT NULL ORDER BY xact_start`;

interface Lease {
  readonly lease_token: string;
  readonly execution: { readonly id: string };
}

describe('long reads that overlap all the time', () => {
  let platform: Platform;
  let blocker: pg.Client;
  const traceId = randomBytes(16).toString('hex');
  const over = new AbortController();

  beforeAll(async () => {
    platform = await Platform.start({
      // The spans of executions would wait for the lock of this test.
      env: { DATABASE_LONG_READ_TIMEOUT_MS: String(LIMIT_SECONDS * 1000), TRACE_EXECUTIONS: 'false' },
    });
    blocker = new pg.Client({ connectionString: platform.databaseUrl });
    await blocker.connect();
  });

  afterAll(async () => {
    over.abort();
    await blocker.end();
    await platform.stop();
  });

  const send = (method: string, path: string, body?: object, headers = {}): Promise<HttpResponse> =>
    call(method, `${platform.url}/api/v1${path}`, { key: platform.adminKey, headers, ...(body && { body }) });

  async function storeTrace(): Promise<void> {
    const times = { startTimeUnixNano: '1764227000000000000', endTimeUnixNano: '1764227000000000001' };
    const spanId = randomBytes(8).toString('hex');
    const body = otlpRequest([{ traceId, spanId, name: 'span', ...times }]);
    expect((await call('POST', `${platform.url}/v1/traces`, { key: platform.adminKey, body })).status).toBe(200);
  }

  /** The task that creates partitions at the start would wait for the lock of this test, with a snapshot. */
  async function partitionsExist(): Promise<void> {
    const text = `SELECT 1 FROM pg_inherits WHERE inhparent = 'span_resources'::regclass`;
    await eventually(async () => expect((await platform.sql(text)).length).toBeGreaterThan(TRACE_DAYS_AHEAD + 1));
  }

  /** Reads the trace again and again, each time until the time limit. Returns the statuses. */
  async function readOn(): Promise<number[]> {
    const statuses: number[] = [];
    while (!over.signal.aborted) statuses.push((await send('GET', `/traces/${traceId}`)).status);
    return statuses;
  }

  /** Runs executions of an agent one after the other as a worker, and returns the statuses of its requests. */
  async function workOn(agentId: string, queueId: string): Promise<number[]> {
    const statuses: number[] = [];
    const noted = async (sent: Promise<HttpResponse>): Promise<unknown> => {
      const { status, body } = await sent;
      statuses.push(status);
      return body;
    };
    const started = await noted(send('POST', `/worker-queues/${queueId}/start`, {}));
    const { worker_id } = started as { worker_id: string };
    while (!over.signal.aborted) {
      await noted(send('POST', `/agents/${agentId}/execute`, { prompt: 'p', worker_queue_id: queueId }));
      const polled = await noted(send('POST', `/workers/${worker_id}/poll`, { wait_seconds: 30 }));
      const [lease] = polled as readonly Lease[];
      if (lease === undefined) throw new Error('The poll returned no lease');
      await noted(send('POST', `/workers/${worker_id}/heartbeat`, {}));
      const headers = { 'X-Lease-Token': lease.lease_token };
      await noted(send('PATCH', `/executions/${lease.execution.id}`, { status: 'completed' }, headers));
    }
    return statuses;
  }

  /** Returns the number of connections with a snapshot of long reads, which wait for the lock. */
  async function blockedReads(): Promise<number> {
    const text = `SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND backend_xmin IS NOT NULL`;
    return (await platform.sql(text)).length;
  }

  /** Makes dead rows, and returns after a VACUUM removed all of them. */
  async function vacuumNewDeadRows(): Promise<void> {
    await platform.sql('INSERT INTO vacuumed SELECT generate_series(1, $1)', [DEAD_ROWS]);
    await platform.sql('DELETE FROM vacuumed');
    await eventually(async () => {
      await platform.sql('VACUUM vacuumed');
      // Only a table without rows, dead ones included, is truncated.
      const [row] = await platform.sql<{ size: string }>(`SELECT pg_relation_size('vacuumed') AS size`);
      // A failure names what kept the rows.
      const keepers = row?.size === '0' ? [] : await platform.sql(SNAPSHOTS);
      expect({ size: row?.size, keepers }).toEqual({ size: '0', keepers: [] });
    });
  }

  it('stop no claim, and VACUUM removes the rows that died before the oldest of them', async () => {
    await storeTrace();
    await platform.sql('CREATE TABLE vacuumed (n integer)');
    const user = new Scenario(platform);
    const [agentId, queueId] = [await user.newAgent(), await user.newQueue('beside-long-reads')];
    await partitionsExist();
    await blocker.query('BEGIN');
    await blocker.query('LOCK TABLE span_resources IN ACCESS EXCLUSIVE MODE');
    const reading = Array.from({ length: READERS }, readOn);
    await eventually(async () => expect(await blockedReads()).toBeGreaterThan(1));
    const working = workOn(agentId, queueId);
    // Each takes as long as a read that had begun before, at most.
    for (let round = 0; round < ROUNDS; round += 1) await vacuumNewDeadRows();
    await eventually(async () => expect(await blockedReads()).toBeGreaterThan(0));
    over.abort();
    const worked = await working;
    const ended = (await Promise.all(reading)).flat();
    expect(new Set(worked)).toEqual(new Set([200]));
    expect(new Set(ended)).toEqual(new Set([503]));
    expect(ended.length).toBeGreaterThanOrEqual(READERS);
    // Four requests per execution: many of them while the reads took their time.
    expect(worked.length).toBeGreaterThan(4 * ROUNDS);
  });
});
