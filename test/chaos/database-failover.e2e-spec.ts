import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openClient, serverAddress, type ChosenClient } from '@app/postgres';
import { eventually } from '@app/testing';
import { losses, LOSSES_TIMEOUT_MS } from '../support/chaos.js';
import { FollowedLoad } from '../support/followed-load.js';
import { call } from '../support/http.js';
import { sizeOf } from '../support/long-form.js';
import { Platform } from '../support/platform.js';
import { queryOn, ReplicatedPostgres } from '../support/replicated-postgres.js';
import { Scenario } from '../support/scenario.js';

/** Accepted executions before and after each fail-over. */
const ACCEPTED = sizeOf({ short: 10, long: 300 });
/** So that a slow machine can complete what was started. */
const MAX_OPEN = 10;

const SESSIONS = `SELECT 1 FROM pg_stat_activity WHERE application_name = 'agent-platform'`;

describe('a fail-over to the synchronous standby of PostgreSQL', () => {
  let servers: ReplicatedPostgres;
  let platform: Platform;
  let user: Scenario;

  beforeAll(async () => {
    servers = await ReplicatedPostgres.start();
    platform = await Platform.start({
      modelGateway: true,
      databaseUrl: servers.primary.url,
      env: {
        DATABASE_URL: servers.urlFrom(servers.primary),
        DATABASE_REPLICA_URL: servers.urlFrom(servers.standby),
        DEFAULT_MODEL: 'development-model',
        RECONCILE_INTERVAL_MS: '500',
        LEASE_CONFIRM_MS: '5000',
        LEASE_GRACE_MS: '8000',
      },
    });
    user = new Scenario(platform);
  });

  afterAll(async () => {
    await platform.stop();
    await servers.remove();
  });

  const readiness = async (): Promise<number> => (await call('GET', `${platform.url}/api/health/ready`)).status;

  it('is not needed for long reads, which prefer the standby and fall back to the primary', async () => {
    const read = async (): Promise<number> => {
      const { status } = await call('GET', `${platform.url}/api/v1/analytics/summary`, { key: platform.adminKey });
      return status;
    };
    expect(await read()).toBe(200);
    // Only long reads connect to a standby.
    expect(await queryOn(servers.standby, SESSIONS)).not.toEqual([]);
    await servers.standby.stop();
    await eventually(async () => expect(await read()).toBe(200));
    await servers.standby.restart();
    await servers.waitUntilSynchronous();
  });

  it('is not needed to refuse a standby that a single name leads to', async () => {
    const open = (url: string): Promise<ChosenClient> => openClient(serverAddress('DATABASE_URL', url, null));
    const required = '?target_session_attrs=read-write';
    const refused = /^DATABASE_URL: 127\.0\.0\.1:\d+ accepts no writes/;
    await expect(open(`${servers.standby.url}${required}`)).rejects.toThrow(refused);
    await (await open(`${servers.primary.url}${required}`)).end();
    await (await open(servers.standby.url)).end();
  });

  it('is not preceded by acknowledged writes that the standby does not have', async () => {
    await servers.standby.stop();
    let status: number | undefined;
    const body = { name: 'on the primary only' };
    void call('POST', `${platform.url}/api/v1/agents`, { key: platform.adminKey, body }).then(
      (response) => (status = response.status),
      () => (status = 0),
    );
    // PostgreSQL acknowledges a commit whose wait for the standby is cancelled.
    const cancel = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
    await eventually(async () => {
      await queryOn(servers.primary, cancel);
      expect(status).toBe(503);
    });
    const names = await queryOn(servers.primary, `SELECT name FROM agents`);
    expect(names).toEqual([body]);
    await servers.standby.restart();
    await eventually(async () => expect(await readiness()).toBe(200));
    await servers.waitUntilSynchronous();
  });

  it(
    'loses no acknowledged execution, and needs no restart',
    async () => {
      const agentId = await user.newAgent();
      const queueId = await user.newQueue('failed-over');
      const jobId = await user.newJob(agentId, {
        executor_type: 'specific_queue',
        worker_queue_name: 'failed-over',
      });
      await platform.startWorker({ WORKER_QUEUE: queueId, WORKER_CONCURRENCY: '8' });
      let isDown = false;
      const load = new FollowedLoad({
        width: 4,
        until: platform.stopped,
        maxOpen: MAX_OPEN,
        isDown: () => isDown,
        sql: (text) => queryOn(servers.primary, text),
        start: async (n) => (await user.trigger(jobId, { prompt: `run ${n}` })).execution_id,
        follow: (id) => user.follow(id),
      });
      for (const loss of losses(1)) {
        await load.accepts(ACCEPTED);
        await servers.killPrimary();
        isDown = true;
        const { unacknowledged } = load.ledger;
        await eventually(() => expect(load.ledger.unacknowledged).toBeGreaterThan(unacknowledged + 3));
        // Requests within a second share one probe, which may have been made before the loss.
        await eventually(async () => expect(await readiness()).toBe(503));
        await servers.promote();
        isDown = false;
        process.stderr.write(`without service for ${await load.resumes()} ms after promotion ${loss + 1}\n`);
        await eventually(async () => expect(await readiness()).toBe(200));
        await load.accepts(ACCEPTED);
        await servers.replaceStandby();
      }
      await load.end();
    },
    LOSSES_TIMEOUT_MS,
  );
});
