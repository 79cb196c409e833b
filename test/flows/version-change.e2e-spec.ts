import { rmSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { findProgram, type Program } from '../../tools/provision/programs.js';
import type { PostgresServer } from '../../tools/provision/postgres.js';
import type { RedisServer } from '../../tools/provision/redis.js';
import { doubledOf, lostOf, missedOf } from '../support/chaos.js';
import { DeploymentLoad } from '../support/deployment-load.js';
import { buildOf, earlierVersion, type EarlierVersion } from '../support/earlier-build.js';
import { isLongForm } from '../support/long-form.js';
import { startOwnPostgres, startOwnRedis, type OwnServer } from '../support/own-stores.js';
import { Platform } from '../support/platform.js';
import { ScaledDeployment } from '../support/scaled-deployment.js';
import { findOrderViolations, Scenario, type EventReader } from '../support/scenario.js';

const haproxy = process.platform === 'linux' ? findProgram('haproxy') : undefined;
const earlier = earlierVersion();
const AMPLE = '1000000';

/** Why the test is skipped. */
const obstacle = !isLongForm
  ? 'only in the long form'
  : earlier === undefined
    ? 'this clone has no history'
    : haproxy === undefined
      ? 'HAProxy is missing'
      : undefined;

(obstacle === undefined ? describe : describe.skip)(
  `a deployment of version ${earlier?.name}${obstacle === undefined ? '' : ` (skipped: ${obstacle})`}`,
  () => {
    let folder: string;
    let stores: readonly [OwnServer<PostgresServer>, OwnServer<RedisServer>];
    let platform: Platform;
    let deployment: ScaledDeployment;
    let user: Scenario;
    let load: DeploymentLoad;
    let reader: EventReader;
    let jobId: string;
    let scheduledId: string;
    let agentId: string;
    let followedId: string;

    beforeAll(async () => {
      folder = buildOf(earlier as EarlierVersion);
      stores = await Promise.all([startOwnPostgres(), startOwnRedis()]);
      const [{ server: postgres }, { server: redis }] = stores;
      platform = await Platform.start({
        controlPlanes: 0,
        modelGateway: true,
        databaseUrl: postgres.url,
        redisUrl: redis.url,
      });
      const settings = {
        DATABASE_URL: postgres.url,
        REDIS_URL: redis.url,
        DATABASE_POOL_SIZE: '8',
        RECONCILE_INTERVAL_MS: '200',
        DATABASE_READ_TIMEOUT_MS: '15000',
        RATE_LIMIT_BURST: AMPLE,
        RATE_LIMIT_PER_MINUTE: AMPLE,
      };
      deployment = new ScaledDeployment(haproxy as Program, settings, folder);
      const { gatewayUrl = '', adminKey } = platform;
      await deployment.start(['control-plane', 'dispatcher', 'platform-api'], {
        BOOTSTRAP_ADMIN_KEY: adminKey,
        LLM_GATEWAY_URL: gatewayUrl,
        DEFAULT_MODEL: 'development-model',
      });
      await deployment.start(['worker'], { WORKER_API_KEY: adminKey });
      user = new Scenario(platform, { url: deployment.url });
      await startLoad();
    }, 900_000);

    afterEach(async () => {
      if (load.refused.length > 0 || deployment.failures.length > 0) await load.stop();
    });

    afterAll(async () => {
      await load.stop();
      await deployment.stop();
      await platform.stop();
      await Promise.all(stores.map((store) => store.remove()));
      rmSync(folder, { recursive: true, force: true });
    });

    async function startLoad(): Promise<void> {
      agentId = await user.newAgent();
      const queueId = await user.newQueue('without-workers');
      const place = { executor_type: 'specific_queue', worker_queue_name: queueId } as const;
      jobId = await user.newJob(agentId, place);
      const schedule = { trigger_type: 'cron', cron_schedule: '* * * * * *', prompt_template: 'Tick' } as const;
      scheduledId = await user.newJob(agentId, { ...place, ...schedule, config: { catchup_window_seconds: 3600 } });
      followedId = await user.execute(agentId, 'Follow', queueId);
      reader = user.follow(followedId, { timeoutMs: 900_000 });
      load = await DeploymentLoad.start(deployment, { user, key: platform.adminKey, jobId, followedId });
    }

    /** Replaces each process, one after the other. A worker of the other version runs something after each of them. */
    async function replaceAll(build: string | undefined): Promise<void> {
      for (const { process, service } of deployment.replicas) {
        const before = load.triggered.length;
        expect(await process.kill('SIGTERM')).toBe(0);
        process.useBuildIn(build);
        await process.start();
        await deployment.waitUntilBalanced();
        await eventually(() => expect(load.triggered.length).toBeGreaterThan(before + 5));
        const id = await user.execute(agentId, `After the start of a ${service}`);
        expect(await user.waitUntilEnded(id)).toMatchObject({ status: 'completed', error_message: null });
      }
      expect({ failures: deployment.failures, refused: load.refused }).toEqual({ failures: [], refused: [] });
    }

    const migrationCount = async (): Promise<number> => (await platform.sql('SELECT 1 FROM schema_migrations')).length;

    it('is replaced process by process, of which the first changes the schema, without a failed request', async () => {
      const before = await migrationCount();
      await replaceAll(undefined);
      expect(await migrationCount()).toBeGreaterThan(before);
    });

    it('can be stepped back to process by process, on the changed schema, without a failed request', async () => {
      const before = await migrationCount();
      await replaceAll(folder);
      expect(await migrationCount()).toBe(before);
    });

    it('has lost no execution, instant or event', async () => {
      await load.stop();
      await user.client.PATCH('/api/v1/jobs/{job_id}', {
        params: { path: { job_id: scheduledId } },
        body: { enabled: false },
      });
      await eventually(async () => {
        const due = await platform.sql('SELECT 1 FROM job_instants WHERE due_at IS NOT NULL');
        expect(due).toEqual([]);
      });
      const stored = await platform.sql<{ id: string; job_id: string; instant: number | null }>(
        `SELECT id, job_id, extract(epoch FROM (trigger_metadata ->> 'scheduled_at')::timestamptz)::integer AS instant
         FROM executions WHERE job_id IS NOT NULL`,
      );
      const triggered = stored.filter(({ job_id }) => job_id === jobId).map(({ id }) => id);
      expect(lostOf(load.triggered, triggered)).toEqual([]);
      expect(triggered.length).toBe(load.triggered.length);
      const instants = stored.flatMap(({ instant }) => (instant === null ? [] : [instant]));
      expect([doubledOf(instants), missedOf(instants, 1)]).toEqual([[], []]);
      await user.cancel(followedId);
      const events = await reader.done;
      expect(findOrderViolations(events)).toEqual([]);
      const seen = new Set(events.map(({ id }) => id));
      expect(load.published.filter((id) => !seen.has(id))).toEqual([]);
    });
  },
);
