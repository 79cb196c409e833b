import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { lostOf, random } from '../support/chaos.js';
import { requestContinuously, type Ledger } from '../support/ledger.js';
import { Platform } from '../support/platform.js';
import { dataOf, ofType, Scenario } from '../support/scenario.js';

const KILLS = 2;
/** Enough that the process dies with work in progress. */
const MAX_WAITING = 20;

interface StoredRun {
  readonly id: string;
  readonly status: string;
  readonly attempt: number;
  readonly prompt: string;
}

const isOpen = ({ status }: StoredRun): boolean => status !== 'completed';

describe('death of the only control plane', () => {
  let platform: Platform;
  let user: Scenario;
  let agentId: string;

  beforeAll(async () => {
    platform = await Platform.start({
      modelGateway: true,
      env: {
        DEFAULT_MODEL: 'development-model',
        RECONCILE_INTERVAL_MS: '500',
        // A lease whose response was lost with the control plane must expire within the test.
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

  /**
   * Kills and restarts the only control plane `KILLS` times, each time after it acknowledged further requests. It is
   * started again after a request failed.
   */
  async function killRepeatedly(ledger: Ledger<string>): Promise<void> {
    const { acknowledged } = ledger;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const target = acknowledged.length + 5 + Math.floor(random() * 20);
      await eventually(() => expect(acknowledged.length).toBeGreaterThanOrEqual(target));
      const { unacknowledged } = ledger;
      await platform.controlPlanes[0]?.process.kill('SIGKILL');
      await eventually(() => expect(ledger.unacknowledged).toBeGreaterThan(unacknowledged));
      await platform.controlPlanes[0]?.process.restart();
    }
  }

  it('loses no acknowledged trigger and runs each one once', async () => {
    const queueId = await user.newQueue('killed-under-triggers');
    const jobId = await newJob('killed-under-triggers');
    await platform.startWorker({ WORKER_QUEUE: queueId, WORKER_CONCURRENCY: '8' });
    const { ledger, stop } = requestContinuously(
      async (n) => (await user.trigger(jobId, { prompt: `run ${n}` })).execution_id,
      {
        width: 4,
        until: platform.stopped,
        // Requests to a dead control plane add nothing to the backlog.
        mayContinue: async () =>
          platform.controlPlanes[0]?.process.running !== true ||
          (await storedRuns(jobId)).filter(isOpen).length < MAX_WAITING,
      },
    );
    await killRepeatedly(ledger);
    const { acknowledged, unacknowledged } = await stop();
    expect(unacknowledged).toBeGreaterThanOrEqual(KILLS);

    const stored = await eventually(async () => {
      const rows = await storedRuns(jobId);
      expect(rows.filter(isOpen)).toEqual([]);
      return rows;
    });
    const ids = stored.map(({ id }) => id);
    expect(lostOf(acknowledged, ids)).toEqual([]);
    // Triggers without a response may be stored as well, but there are no more executions than requests.
    expect(stored.length).toBeLessThanOrEqual(acknowledged.length + unacknowledged);
    expect(new Set(stored.map(({ prompt }) => prompt)).size).toBe(stored.length);
    const counts = { total_executions: stored.length, successful_executions: stored.length, failed_executions: 0 };
    expect(await user.job(jobId)).toMatchObject(counts);
    for (const { id, attempt } of stored) {
      const started = ofType(await user.readEvents(id), 'run_started').map((event) => dataOf(event).attempt);
      // A lease whose response was lost expires and is granted again: the run begins in one attempt only. (A
      // `run_started` whose response was lost is published again for the same attempt of the same worker.)
      expect(new Set(started)).toEqual(new Set([attempt]));
    }
    expect(await platform.sql('SELECT topic FROM outbox')).toEqual([]);
  });
});
