import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, eventually, type TestDatabase } from '@app/testing';
import type { Program } from '../../tools/provision/programs.js';
import { call } from '../support/http.js';
import { sizeOf } from '../support/long-form.js';
import { otlpRequest } from '../support/otlp-request.js';
import { pgbouncer, startPgBouncer, type PgBouncer } from '../support/pgbouncer.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';

/** Fewer than the control plane opens, so that transactions of several of its connections share one. */
const CONNECTIONS = 3;
const EXECUTIONS = sizeOf({ short: 20, long: 300 });

(pgbouncer === undefined ? describe.skip : describe)('the platform behind PgBouncer in transaction mode', () => {
  let database: TestDatabase;
  let pooler: PgBouncer;
  let platform: Platform;
  let user: Scenario;
  let agentId: string;
  let queueId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    pooler = await startPgBouncer(pgbouncer as Program, database.url, CONNECTIONS);
    platform = await Platform.start({
      databaseUrl: database.url,
      platformApi: true,
      modelGateway: true,
      env: {
        DATABASE_URL: pooler.url,
        DATABASE_DIRECT_URL: database.url,
        DEFAULT_MODEL: 'development-model',
        RECONCILE_INTERVAL_MS: '500',
      },
    });
    user = new Scenario(platform);
    agentId = await user.newAgent();
    queueId = await user.newQueue('pooled');
  });

  afterAll(async () => {
    await platform.stop();
    await pooler.stop();
    await database.drop();
  });

  it('runs executions from start to end, and streams their events', async () => {
    await platform.startWorker({ WORKER_QUEUE: queueId, WORKER_CONCURRENCY: '8' });
    const ids = await Promise.all(
      Array.from({ length: EXECUTIONS }, (_none, n) => user.execute(agentId, `run ${n}`, queueId)),
    );
    const followed = user.follow(ids[0] ?? '');
    for (const id of ids) expect(await user.waitUntilEnded(id)).toMatchObject({ status: 'completed' });
    const types = (await followed.done).map(({ event }) => event);
    expect(types).toEqual(expect.arrayContaining(['run_started', 'done']));
  });

  it('starts a job at an instant of its schedule', async () => {
    const id = await user.newJob(agentId, {
      trigger_type: 'cron',
      cron_schedule: '* * * * * *',
      prompt_template: 'Tick',
      executor_type: 'specific_queue',
      worker_queue_name: 'pooled',
    });
    await eventually(async () => expect((await user.job(id)).successful_executions).toBeGreaterThanOrEqual(2));
    const disabled = await call('PATCH', `${platform.url}/api/v1/jobs/${id}`, {
      key: platform.adminKey,
      body: { enabled: false },
    });
    expect(disabled.status).toBe(200);
  });

  it('stores spans, and reads traces and analytics', async () => {
    const traceId = randomBytes(16).toString('hex');
    const span = { traceId, spanId: randomBytes(8).toString('hex'), name: 'span' };
    const times = { startTimeUnixNano: '1764227000000000000', endTimeUnixNano: '1764227000000000001' };
    const options = { key: platform.adminKey, body: otlpRequest([{ ...span, ...times }]) };
    expect((await call('POST', `${platform.url}/v1/traces`, options)).status).toBe(200);
    for (const path of [`/traces/${traceId}`, '/analytics/summary']) {
      expect((await call('GET', `${platform.url}/api/v1${path}`, { key: platform.adminKey })).status).toBe(200);
    }
  });

  it('cancels an execution', async () => {
    const other = await user.newQueue('without-workers');
    const id = await user.execute(agentId, 'never runs', other);
    await user.cancel(id);
    expect(await user.waitUntilEnded(id)).toMatchObject({ status: 'cancelled' });
  });

  it('leaves no settings, locks or prepared statements in the shared connections', async () => {
    const sessions = await platform.sql<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    // Those of PgBouncer only: one more connects while the session of the migrations may still be closing.
    expect(sessions.length).toBeLessThanOrEqual(CONNECTIONS);
    const locks = (): Promise<object[]> =>
      platform.sql(
        `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND database =
         (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
    // Those of a transaction end with it.
    await eventually(async () => expect(await locks()).toEqual([]));
    const { process } = platform.controlPlanes[0] ?? { process: undefined };
    expect(process?.log()).toContain('a pooler is in between');
    expect(process?.log()).not.toMatch(/prepared statement|unsupported startup parameter/);
  });
});
