import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '@app/testing';
import { keepAsking } from '../support/ledger.js';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { dataOf, ofType, Scenario } from '../support/scenario.js';

jest.setTimeout(90_000);

const KILLS = 4;

interface StoredRun {
  readonly id: string;
  readonly status: string;
  readonly attempt: number;
  readonly prompt: string;
}

describe('a control plane that is killed', () => {
  let platform: Platform;
  let user: Scenario;
  let agentId: string;

  beforeAll(async () => {
    platform = await Platform.start({
      modelGateway: true,
      env: {
        DEFAULT_MODEL: 'development-model',
        RECONCILE_INTERVAL_MS: '100',
        // A lease whose answer died with the control plane must run out within the test.
        LEASE_CONFIRM_MS: '5000',
        LEASE_GRACE_MS: '8000',
      },
    });
    user = new Scenario(platform);
    agentId = await user.newAgent();
  });

  afterAll(() => platform.stop());

  const storedRuns = (jobId: string): Promise<StoredRun[]> =>
    platform.sql<StoredRun>('SELECT id, status, attempt, prompt FROM executions WHERE job_id = $1', [jobId]);

  async function newJob(queue: string): Promise<string> {
    return user.newJob(agentId, { executor_type: 'specific_queue', worker_queue_name: queue });
  }

  /** Kills the only control plane a few times, each time after it acknowledged some more, and starts it again. */
  async function killAgainAndAgain(acknowledged: readonly unknown[]): Promise<void> {
    for (let kill = 0; kill < KILLS; kill += 1) {
      const enough = acknowledged.length + 5 + Math.floor(Math.random() * 20);
      await eventually(() => expect(acknowledged.length).toBeGreaterThanOrEqual(enough), 20_000);
      await platform.controlPlanes[0]?.process.restart();
    }
  }

  it('has kept every trigger it acknowledged, and all of them run, once each', async () => {
    const queueId = await user.newQueue('killed-under-triggers');
    const jobId = await newJob('killed-under-triggers');
    await platform.startWorker({ WORKER_QUEUE: queueId, WORKER_CONCURRENCY: '8' });
    const { ledger, stop } = keepAsking(async (n) => (await user.trigger(jobId, { prompt: `run ${n}` })).execution_id, {
      width: 4,
      until: platform.stopped,
    });
    await killAgainAndAgain(ledger.acknowledged);
    const { acknowledged, unanswered } = await stop();
    expect(unanswered).toBeGreaterThan(0);

    const stored = await eventually(async () => {
      const rows = await storedRuns(jobId);
      expect(rows.filter(({ status }) => status !== 'completed')).toEqual([]);
      return rows;
    }, 40_000);
    const ids = new Set(stored.map(({ id }) => id));
    expect(acknowledged.filter((id) => !ids.has(id))).toEqual([]);
    // What was not answered may be there as well, but nothing that nobody asked for.
    expect(stored.length).toBeLessThanOrEqual(acknowledged.length + unanswered);
    expect(new Set(stored.map(({ prompt }) => prompt)).size).toBe(stored.length);
    const counts = { total_executions: stored.length, successful_executions: stored.length, failed_executions: 0 };
    expect(await user.job(jobId)).toMatchObject(counts);
    for (const { id, attempt } of stored) {
      const started = ofType(await user.story(id), 'run_started').map((event) => dataOf(event).attempt);
      // A lease whose answer died with the control plane runs out and is given again: the work begins in one attempt only.
      // (A start whose answer got lost is announced again; it is the same attempt of the same worker.)
      expect(new Set(started)).toEqual(new Set([attempt]));
    }
    expect(await platform.sql('SELECT topic FROM outbox')).toEqual([]);
  });

  it('starts one execution per Idempotency-Key, however often it is asked again between its deaths', async () => {
    const jobId = await newJob('killed-under-triggers');
    const trigger = async (n: number): Promise<{ n: number; id: string }> => {
      const options = { key: platform.adminKey, body: { parameters: { prompt: `key ${n}` } } };
      const headers = { 'Idempotency-Key': `trigger ${n}` };
      // As a patient client does it: again until there is an answer that says yes.
      return eventually(async () => {
        const url = `${platform.url}/api/v1/jobs/${jobId}/trigger`;
        const answer = await call('POST', url, { ...options, headers });
        expect(answer.status).toBe(200);
        return { n, id: (answer.body as { execution_id: string }).execution_id };
      }, 30_000);
    };
    const { ledger, stop } = keepAsking(trigger, { width: 4, until: platform.stopped });
    await killAgainAndAgain(ledger.acknowledged);
    const { acknowledged } = await stop();
    const repeated = await Promise.all(acknowledged.map(({ n }) => trigger(n)));
    expect(repeated).toEqual(acknowledged);
    const stored = await storedRuns(jobId);
    expect(stored.map(({ id }) => id).sort()).toEqual(acknowledged.map(({ id }) => id).sort());
  });
});
