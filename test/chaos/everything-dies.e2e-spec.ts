import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { lostOf, random } from '../support/chaos.js';
import { requestContinuously } from '../support/ledger.js';
import { Platform, type RunningApp } from '../support/platform.js';
import { ofType, Scenario } from '../support/scenario.js';

/** Enough that every process dies with work in progress. */
const MAX_WAITING = 40;

/** Each control plane and dispatcher is killed once, in random order, then one of the workers. */
describe('death of every control plane, every dispatcher and a worker', () => {
  let platform: Platform;
  let user: Scenario;
  let other: Scenario;

  beforeAll(async () => {
    platform = await Platform.start({
      controlPlanes: 2,
      dispatchers: 2,
      modelGateway: true,
      env: {
        DEFAULT_MODEL: 'development-model',
        RECONCILE_INTERVAL_MS: '100',
        LEASE_HEARTBEATS: '0.5',
        LEASE_CONFIRM_MS: '5000',
      },
    });
    user = new Scenario(platform);
    other = new Scenario(platform, { url: platform.controlPlanes[1]?.url ?? '' });
  });

  afterAll(() => platform.stop());

  async function waitingRuns(jobId: string): Promise<number> {
    const sql = 'SELECT count(*)::int AS waiting FROM executions WHERE job_id = $1 AND completed_at IS NULL';
    const [row] = await platform.sql<{ waiting: number }>(sql, [jobId]);
    return row?.waiting ?? 0;
  }

  it('loses no acknowledged execution and ends each one once', async () => {
    const queueId = await user.newQueue('everything-dies');
    const agentId = await user.newAgent();
    const jobId = await user.newJob(agentId, { executor_type: 'specific_queue', worker_queue_name: queueId });
    const env = { WORKER_QUEUE: queueId, WORKER_CONCURRENCY: '4' };
    const killed = await platform.startWorker(env);
    await platform.startWorker({ ...env, CONTROL_PLANE_URL: platform.controlPlanes[1]?.url ?? '' });
    const { ledger, stop } = requestContinuously(
      async (n) => (await (n % 2 === 0 ? user : other).trigger(jobId, { prompt: `run ${n}` })).execution_id,
      { width: 4, until: platform.stopped, mayContinue: async () => (await waitingRuns(jobId)) < MAX_WAITING },
    );
    const acknowledgeMore = async (): Promise<void> => {
      const target = ledger.acknowledged.length + 5 + Math.floor(random() * 10);
      await eventually(() => expect(ledger.acknowledged.length).toBeGreaterThanOrEqual(target));
    };
    for (const app of shuffled([...platform.controlPlanes, ...platform.dispatchers])) {
      await acknowledgeMore();
      await app.process.restart();
    }
    await acknowledgeMore();
    await killed.process.kill('SIGKILL');
    await acknowledgeMore();
    const { acknowledged } = await stop();

    const stored = await eventually(async () => {
      const sql = 'SELECT id, status FROM executions WHERE job_id = $1';
      const rows = await platform.sql<{ id: string; status: string }>(sql, [jobId]);
      expect(rows.filter(({ status }) => status !== 'completed')).toEqual([]);
      return rows.map(({ id }) => id);
    }, 120_000);
    expect(lostOf(acknowledged, stored)).toEqual([]);
    const stories = await Promise.all(stored.map((id) => other.readEvents(id)));
    for (const story of stories) {
      const statuses = ofType(story, 'status').map(({ data }) => data['status']);
      expect(statuses.filter((status) => status === 'completed')).toHaveLength(1);
    }
    const counts = { total_executions: stored.length, successful_executions: stored.length, failed_executions: 0 };
    expect(await user.job(jobId)).toMatchObject(counts);
    expect(await platform.sql('SELECT topic FROM outbox')).toEqual([]);
  });
});

function shuffled(apps: readonly RunningApp[]): RunningApp[] {
  return apps
    .map((app) => ({ app, rank: random() }))
    .sort((one, two) => one.rank - two.rank)
    .map(({ app }) => app);
}
