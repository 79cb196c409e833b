import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { migrate } from '@app/database';
import { eventually, testRedisUrl } from '@app/testing';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { findProgram, type Program } from '../../tools/provision/programs.js';
import { DeploymentLoad } from '../support/deployment-load.js';
import { call } from '../support/http.js';
import { sizeOf } from '../support/long-form.js';
import { Platform } from '../support/platform.js';
import { ScaledDeployment } from '../support/scaled-deployment.js';
import { findOrderViolations, Scenario } from '../support/scenario.js';

type Json = Record<string, unknown>;

/** Number of processes that are restarted: one of each kind, in the long form also the others. */
const RESTARTS = sizeOf({ short: 3, long: 5 });
/** More requests than the test sends. */
const AMPLE = '1000000';

/** Adds columns to all tables, and an index, as a later version can. */
class Expansion1900000000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const tables = (await runner.query(
      `SELECT relname AS name FROM pg_class
       WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
    )) as readonly { readonly name: string }[];
    for (const { name } of tables) {
      await runner.query(`ALTER TABLE ${name} ADD COLUMN added text, ADD COLUMN filled integer NOT NULL DEFAULT 0`);
    }
    await runner.query('CREATE INDEX CONCURRENTLY ix_executions_filled ON executions (filled)');
  }

  async down(): Promise<void> {}
}

const haproxy = process.platform === 'linux' ? findProgram('haproxy') : undefined;

(haproxy === undefined ? describe.skip : describe)('the services of compose.scaled.yaml behind their balancer', () => {
  let platform: Platform;
  let deployment: ScaledDeployment;
  let url: string;
  let user: Scenario;
  const loads: DeploymentLoad[] = [];

  beforeAll(async () => {
    // Its stores and its model gateway are those of the deployment.
    platform = await Platform.start({ controlPlanes: 0, modelGateway: true });
    deployment = new ScaledDeployment(haproxy as Program, {
      DATABASE_URL: platform.databaseUrl,
      REDIS_URL: testRedisUrl(),
      DATABASE_POOL_SIZE: '8',
      RECONCILE_INTERVAL_MS: '200',
      // Reads that wait for a busy machine are late, not failed.
      DATABASE_READ_TIMEOUT_MS: '15000',
      RATE_LIMIT_BURST: AMPLE,
      RATE_LIMIT_PER_MINUTE: AMPLE,
    });
    const { gatewayUrl = '', adminKey } = platform;
    await deployment.start(['control-plane', 'dispatcher', 'platform-api'], {
      BOOTSTRAP_ADMIN_KEY: adminKey,
      LLM_GATEWAY_URL: gatewayUrl,
      DEFAULT_MODEL: 'development-model',
    });
    url = deployment.url;
    user = new Scenario(platform, { url });
  });

  // A failed test does not stop its load, which would keep this process busy after the servers are gone.
  afterEach(() => Promise.all(loads.splice(0).map((load) => load.stop())));

  afterAll(async () => {
    await deployment.stop();
    await platform.stop();
  });

  const startLoad = async (jobId: string, followedId: string): Promise<DeploymentLoad> => {
    const load = await DeploymentLoad.start(deployment, { user, key: platform.adminKey, jobId, followedId });
    loads.push(load);
    return load;
  };

  /**
   * Waits until all past instants of a schedule have started, and returns those of its runs in seconds and in order.
   */
  async function ticksOf(jobId: string): Promise<number[]> {
    await user.client.PATCH('/api/v1/jobs/{job_id}', { params: { path: { job_id: jobId } }, body: { enabled: false } });
    await eventually(async () => {
      const due = await platform.sql('SELECT 1 FROM job_instants WHERE job_id = $1 AND due_at IS NOT NULL', [jobId]);
      expect(due).toEqual([]);
    });
    const rows = await platform.sql<{ at: string }>(
      "SELECT trigger_metadata ->> 'scheduled_at' AS at FROM executions WHERE job_id = $1 AND trigger_type = 'cron'",
      [jobId],
    );
    return rows.map(({ at }) => Date.parse(at) / 1000).sort((one, other) => one - other);
  }

  /** Creates a resource through the platform API. */
  async function create(path: string, body: Json): Promise<Json> {
    const admin = { key: platform.adminKey, scheme: 'UserKey' };
    const created = await call('POST', `${deployment.platformApiUrl}/api/v1${path}`, { ...admin, body });
    expect(created).toMatchObject({ status: 201 });
    return created.body as Json;
  }

  /** Runs a task with the worker, and follows it. */
  async function sayHello(): Promise<void> {
    const agent_id = await user.newAgent();
    const task = await create('/tasks', { name: 'Say hello', agent_id, parameters: { to: 'Ada' } });
    const events = await user.follow(String(task['execution_id'])).done;
    // The failure of a run names its cause, which the names of the events do not.
    expect(events.at(-1)?.data).toMatchObject({ status: 'completed', error_message: null });
    expect(events.at(-1)?.event).toBe('done');
    expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(['run_started', 'message_chunk']));
  }

  it('serve workers, and clients of both APIs', async () => {
    const key = await create('/auth/keys', { name: 'workers', scopes: ['runners:manage', 'tasks:execute'] });
    await deployment.start(['worker'], { WORKER_API_KEY: String(key['key']) });
    await sayHello();
  });

  it('go on without a failed request while a migration expands the schema', async () => {
    const agentId = await user.newAgent();
    const queueId = await user.newQueue('expanded');
    const jobId = await user.newJob(agentId, { executor_type: 'specific_queue', worker_queue_name: queueId });
    const load = await startLoad(jobId, await user.execute(agentId, 'Follow', queueId));
    const growth = async (): Promise<void> => {
      const before = load.triggered.length;
      await eventually(() => expect(load.triggered.length).toBeGreaterThan(before + 10));
    };
    await growth();
    const dataSource = await new DataSource({
      type: 'postgres',
      url: platform.databaseUrl,
      migrations: [Expansion1900000000000],
      migrationsTableName: 'later_migrations',
      installExtensions: false,
    }).initialize();
    await migrate(dataSource).finally(() => dataSource.destroy());
    await growth();
    await sayHello();
    await load.stop();
    expect({ failures: deployment.failures, refused: load.refused }).toEqual({ failures: [], refused: [] });
  });

  it('restart in turn without a failed request, a broken stream, or an instant that is missed or starts twice', async () => {
    const agentId = await user.newAgent();
    const queueId = await user.newQueue('without-workers');
    const place = { executor_type: 'specific_queue', worker_queue_name: queueId } as const;
    const jobId = await user.newJob(agentId, place);
    const config = { catchup_window_seconds: 3600 };
    const schedule = { trigger_type: 'cron', cron_schedule: '* * * * * *', prompt_template: 'Tick', config } as const;
    const scheduledId = await user.newJob(agentId, { ...place, ...schedule });
    const followedId = await user.execute(agentId, 'Follow', queueId);
    const reader = user.follow(followedId, { timeoutMs: 300_000 });
    const load = await startLoad(jobId, followedId);

    const [one, two] = deployment.of('control-plane');
    const [three, four] = deployment.of('dispatcher');
    const [five] = deployment.of('platform-api');
    for (const restarted of [one, three, five, two, four].slice(0, RESTARTS)) {
      const before = load.triggered.length;
      expect(await restarted?.process.kill('SIGTERM')).toBe(0);
      await restarted?.process.start();
      await deployment.waitUntilBalanced();
      await eventually(() => expect(load.triggered.length).toBeGreaterThan(before + 5));
    }
    await load.stop();
    expect({ failures: deployment.failures, refused: load.refused }).toEqual({ failures: [], refused: [] });

    const stored = await platform.sql<{ id: string }>(
      "SELECT id FROM executions WHERE job_id = $1 AND trigger_type = 'manual'",
      [jobId],
    );
    expect(stored.map(({ id }) => id).sort()).toEqual([...load.triggered].sort());

    const ticks = await ticksOf(scheduledId);
    const [first = 0] = ticks;
    expect(ticks.length).toBeGreaterThan(4);
    expect(ticks).toEqual(ticks.map((_tick, index) => first + index));

    await user.cancel(followedId);
    const events = await reader.done;
    expect(findOrderViolations(events)).toEqual([]);
    const seen = new Set(events.map(({ id }) => id));
    expect(load.published.filter((id) => !seen.has(id))).toEqual([]);
  });
});
