import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import type { PostgresServer } from '../../tools/provision/postgres.js';
import { lostOf, random } from '../support/chaos.js';
import { requestContinuously } from '../support/ledger.js';
import { startOwnPostgres, type OwnServer } from '../support/own-stores.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';

const KILLS = 3;

describe('death of PostgreSQL under load', () => {
  let postgres: OwnServer<PostgresServer>;
  let platform: Platform;

  beforeAll(async () => {
    postgres = await startOwnPostgres();
    platform = await Platform.start({
      databaseUrl: postgres.server.url,
      modelGateway: true,
      // A lease whose response was lost with the database must expire within the test.
      env: { DEFAULT_MODEL: 'development-model', RECONCILE_INTERVAL_MS: '100', LEASE_HEARTBEATS: '0.1' },
    });
  });

  afterAll(async () => {
    await platform.stop();
    await postgres.remove();
  });

  it('loses no acknowledged execution, and the platform recovers without a restart', async () => {
    const user = new Scenario(platform);
    const agentId = await user.newAgent();
    const queueId = await user.newQueue('killed-database');
    const jobId = await user.newJob(agentId, { executor_type: 'specific_queue', worker_queue_name: queueId });
    await platform.startWorker({ WORKER_QUEUE: queueId, WORKER_CONCURRENCY: '4' });
    const { ledger, stop } = requestContinuously(
      async (n) => (await user.trigger(jobId, { prompt: `run ${n}` })).execution_id,
      {
        width: 4,
        until: platform.stopped,
      },
    );
    for (let kill = 0; kill < KILLS; kill += 1) {
      const target = ledger.acknowledged.length + 5 + Math.floor(random() * 20);
      await eventually(() => expect(ledger.acknowledged.length).toBeGreaterThanOrEqual(target));
      await postgres.kill();
      await postgres.server.restart();
    }
    const { acknowledged, unacknowledged } = await stop();
    expect(unacknowledged).toBeGreaterThan(0);
    const stored = await eventually(async () => {
      const rows = await platform.sql<{ id: string; status: string }>(
        'SELECT id, status FROM executions WHERE job_id = $1',
        [jobId],
      );
      expect(rows.filter(({ status }) => status !== 'completed')).toEqual([]);
      return rows;
    }, 60_000);
    const ids = stored.map(({ id }) => id);
    expect(lostOf(acknowledged, ids)).toEqual([]);
    expect(await user.job(jobId)).toMatchObject({
      total_executions: stored.length,
      successful_executions: stored.length,
    });
    expect(platform.controlPlanes[0]?.process.running).toBe(true);
  });
});
