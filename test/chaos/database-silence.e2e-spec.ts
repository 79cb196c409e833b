import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, eventually, type TestDatabase } from '@app/testing';
import pg from 'pg';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';
import { SilentProxy } from '../support/silent-proxy.js';

/** Time limits that are short, but long enough for statements on a busy machine. */
const LIMITS = {
  DATABASE_STATEMENT_TIMEOUT_MS: '6000',
  DATABASE_READ_TIMEOUT_MS: '6000',
  DATABASE_RESPONSE_GRACE_MS: '1000',
  DATABASE_IDLE_TRANSACTION_TIMEOUT_MS: '6000',
};

describe('PostgreSQL that becomes unreachable without closing its connections', () => {
  let database: TestDatabase;
  let proxy: SilentProxy;
  let platform: Platform;
  let user: Scenario;
  /** A connection that bypasses the proxy. */
  let beside: pg.Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    proxy = await SilentProxy.to(database.url);
    platform = await Platform.start({
      modelGateway: true,
      databaseUrl: database.url,
      env: { ...LIMITS, DATABASE_URL: proxy.urlFor(database.url), DEFAULT_MODEL: 'development-model' },
    });
    user = new Scenario(platform);
    beside = new pg.Client({ connectionString: database.url });
    await beside.connect();
  });

  afterAll(async () => {
    proxy.speak();
    await platform.stop();
    await beside.end();
    await proxy.close();
    await database.drop();
  });

  /** Changes the schedule of a job. The transaction locks the row of the job, then adds a message to the outbox. */
  const schedule = (id: string): Promise<HttpResponse> =>
    call('PATCH', `${platform.url}/api/v1/jobs/${id}`, {
      key: platform.adminKey,
      body: { trigger_type: 'cron', cron_schedule: '0 9 * * *' },
    });

  /** Throws 55P03 while a transaction holds the row. */
  async function lockRow(id: string): Promise<void> {
    await beside.query('BEGIN');
    try {
      await beside.query('SELECT 1 FROM jobs WHERE id = $1 FOR UPDATE NOWAIT', [id]);
    } finally {
      await beside.query('ROLLBACK');
    }
  }

  /**
   * Returns the pending response of a write whose transaction holds the row of the job and whose connection is silent
   * from then on.
   */
  async function silentWrite(id: string): Promise<Promise<HttpResponse>[]> {
    await beside.query('BEGIN');
    await beside.query('LOCK TABLE outbox IN SHARE MODE');
    const write = schedule(id);
    await eventually(async () => {
      const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%INTO%outbox%'
        AND datname = current_database()`;
      expect((await platform.sql(waiting)).length).toBeGreaterThan(0);
    });
    proxy.silence();
    await beside.query('ROLLBACK');
    return [write];
  }

  it('keeps no lock of a silent transaction, fails requests with 503, and loses nothing', async () => {
    const agentId = await user.newAgent();
    const queueId = await user.newQueue('silent');
    const acknowledged = [await user.execute(agentId, 'Before', queueId)];
    const id = await user.newJob(agentId);

    const [write] = await silentWrite(id);
    await expect(lockRow(id)).rejects.toMatchObject({ code: '55P03' });
    await eventually(() => lockRow(id));
    const read = await call('GET', `${platform.url}/api/v1/jobs/${id}`, { key: platform.adminKey });
    expect([(await write)?.status, read.status]).toEqual([503, 503]);

    proxy.speak();
    await eventually(async () => {
      expect((await call('GET', `${platform.url}/api/health/ready`)).status).toBe(200);
      expect((await user.job(id)).trigger_type).toBe('manual');
    });
    await eventually(async () => expect((await schedule(id)).status).toBe(200));
    acknowledged.push(await eventually(() => user.execute(agentId, 'After', queueId)));
    await platform.startWorker({ WORKER_QUEUE: queueId });
    for (const execution of acknowledged) {
      expect(await user.waitUntilEnded(execution)).toMatchObject({ status: 'completed' });
    }
  });
});
