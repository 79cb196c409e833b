import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '@app/testing';
import { keepAsking } from '../support/ledger.js';
import { Platform, type RunningApp } from '../support/platform.js';
import { ofType, Scenario } from '../support/scenario.js';

jest.setTimeout(120_000);

/** Every process of two control planes and two dispatchers dies once, in an order that chance decides. */
describe('two control planes, two dispatchers and two workers, of which one dies after the other', () => {
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

  it('lose nothing that was acknowledged, and end every execution once', async () => {
    const queueId = await user.newQueue('everything-dies');
    const agentId = await user.newAgent();
    const jobId = await user.newJob(agentId, { executor_type: 'specific_queue', worker_queue_name: queueId });
    const env = { WORKER_QUEUE: queueId, WORKER_CONCURRENCY: '4' };
    const doomed = await platform.startWorker(env);
    await platform.startWorker({ ...env, CONTROL_PLANE_URL: platform.controlPlanes[1]?.url ?? '' });
    const { ledger, stop } = keepAsking(
      async (n) => (await (n % 2 === 0 ? user : other).trigger(jobId, { prompt: `run ${n}` })).execution_id,
      { width: 4, until: platform.stopped },
    );
    const more = async (): Promise<void> => {
      const enough = ledger.acknowledged.length + 5 + Math.floor(Math.random() * 10);
      await eventually(() => expect(ledger.acknowledged.length).toBeGreaterThanOrEqual(enough), 30_000);
    };
    for (const app of shuffled([...platform.controlPlanes, ...platform.dispatchers])) {
      await more();
      await app.process.restart();
    }
    await more();
    await doomed.process.kill('SIGKILL');
    await more();
    const { acknowledged } = await stop();

    const stored = await eventually(async () => {
      const sql = 'SELECT id, status FROM executions WHERE job_id = $1';
      const rows = await platform.sql<{ id: string; status: string }>(sql, [jobId]);
      expect(rows.filter(({ status }) => status !== 'completed')).toEqual([]);
      return rows.map(({ id }) => id);
    }, 60_000);
    expect(acknowledged.filter((id) => !stored.includes(id))).toEqual([]);
    for (const id of stored) {
      const statuses = ofType(await other.story(id), 'status').map(({ data }) => data['status']);
      expect(statuses.filter((status) => status === 'completed')).toHaveLength(1);
    }
    const counts = { total_executions: stored.length, successful_executions: stored.length, failed_executions: 0 };
    expect(await user.job(jobId)).toMatchObject(counts);
    expect(await platform.sql('SELECT topic FROM outbox')).toEqual([]);
  });
});

function shuffled(apps: readonly RunningApp[]): RunningApp[] {
  return apps
    .map((app) => ({ app, place: Math.random() }))
    .sort((one, two) => one.place - two.place)
    .map(({ app }) => app);
}
