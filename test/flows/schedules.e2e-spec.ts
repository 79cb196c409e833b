import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import { recordKill } from '../support/chaos.js';
import { startOwnRedis, type OwnServer } from '../support/own-stores.js';
import { Platform } from '../support/platform.js';
import { Scenario, type Job } from '../support/scenario.js';
import type { RedisServer } from '../../tools/provision/redis.js';

type Run = Job['execution_history'][number];

/** Schedules with two dispatchers and a Redis that the tests kill and wipe. */
describe('a schedule', () => {
  let redis: OwnServer<RedisServer>;
  let platform: Platform;
  let user: Scenario;
  let agentId: string;

  beforeAll(async () => {
    redis = await startOwnRedis();
    platform = await Platform.start({
      dispatchers: 2,
      modelGateway: true,
      redisUrl: redis.server.url,
      env: { DEFAULT_MODEL: 'development-model', RECONCILE_INTERVAL_MS: '500' },
    });
    user = new Scenario(platform);
    agentId = await user.newAgent();
  });

  afterAll(async () => {
    await platform.stop();
    await redis.remove();
  });

  /** A job that is due every second unless told otherwise. */
  const newJob = (fields: object = {}): Promise<string> =>
    user.newJob(agentId, {
      trigger_type: 'cron',
      cron_schedule: '* * * * * *',
      prompt_template: 'Tick',
      config: { catchup_window_seconds: 3600 },
      ...fields,
    });

  const update = (id: string, body: object): Promise<Job> =>
    unwrap(user.client.PATCH('/api/v1/jobs/{job_id}', { params: { path: { job_id: id } }, body }));

  /** All runs of a job, newest first. */
  async function runsOf(id: string): Promise<readonly Run[]> {
    const params = { path: { job_id: id }, query: { limit: 1000 } };
    return (await unwrap(user.client.GET('/api/v1/jobs/{job_id}/executions', { params }))).executions;
  }

  const waitForRuns = (id: string, count: number): Promise<void> =>
    eventually(async () => expect((await user.job(id)).total_executions).toBeGreaterThanOrEqual(count));

  /**
   * Disables the job, waits until all past instants have started, and returns those of its runs in seconds, in order.
   */
  async function stopAndRead(id: string): Promise<number[]> {
    await update(id, { enabled: false });
    await eventually(async () => {
      const open = await platform.sql('SELECT 1 FROM job_instants WHERE job_id = $1 AND due_at IS NOT NULL', [id]);
      expect(open).toEqual([]);
    });
    const runs = await runsOf(id);
    expect(runs.filter(({ trigger_type }) => trigger_type !== 'cron')).toEqual([]);
    return runs.map((run) => Date.parse(String(run.trigger_metadata['scheduled_at'])) / 1000).sort((a, b) => a - b);
  }

  /** Every second from the first to the last, each once. */
  const everySecond = (seconds: readonly number[]): number[] =>
    Array.from({ length: (seconds.at(-1) ?? 0) - (seconds[0] ?? 0) + 1 }, (_none, n) => (seconds[0] ?? 0) + n);

  it('starts a run at each instant, which a worker completes', async () => {
    await platform.startWorker();
    const id = await newJob();
    const { created_at, engine_schedule_id } = await user.job(id);
    expect(engine_schedule_id).toBe(id);
    await waitForRuns(id, 2);
    const seconds = await stopAndRead(id);
    expect(seconds).toEqual(everySecond(seconds));
    // The first instant is the first second after the schedule was set. `created_at` is read from the clock a moment
    // later, so it can be after this instant.
    expect(Math.abs((seconds[0] ?? 0) - Date.parse(created_at) / 1000)).toBeLessThanOrEqual(1);
    await eventually(async () => {
      const job = await user.job(id);
      expect(job.successful_executions).toBe(job.total_executions);
      expect(job).toMatchObject({ next_execution_at: null, engine_schedule_id: null, failed_executions: 0 });
    });
    const [newest] = await runsOf(id);
    const execution = await user.execution(newest?.execution_id ?? '');
    expect(execution).toMatchObject({ status: 'completed', prompt: 'Tick', user_name: expect.any(String) });
  });

  it('records a failed run with the reason if no live worker has the runtime', async () => {
    if (platform.workers.length === 0) await platform.startWorker();
    const id = await newJob({ entity_id: await user.newAgent({ runtime: 'absent_code' }) });
    await waitForRuns(id, 1);
    await stopAndRead(id);
    const runs = await runsOf(id);
    for (const run of runs) {
      expect(run).toMatchObject({
        status: 'failed',
        error_message: expect.stringMatching(/^No live worker of the worker queue \S+ has the runtime absent_code/),
        trigger_metadata: { scheduled_at: expect.any(String) },
      });
    }
    const counts = { total_executions: runs.length, failed_executions: runs.length, successful_executions: 0 };
    expect(await user.job(id)).toMatchObject(counts);
  });

  it('starts each instant exactly once while dispatchers are killed, Redis is wiped and the job is edited', async () => {
    const ids = await Promise.all(Array.from({ length: 3 }, () => newJob()));
    const [first = ''] = ids;
    await waitForRuns(first, 2);
    for (const dispatcher of [...platform.dispatchers]) {
      await dispatcher.process.kill('SIGKILL');
      recordKill();
      platform.dispatchers.splice(platform.dispatchers.indexOf(dispatcher), 1);
      const { total_executions: before } = await user.job(first);
      await update(first, { name: 'edited', cron_schedule: '*/1 * * * * *' });
      await update(first, { cron_schedule: '* * * * * *' });
      await waitForRuns(first, platform.dispatchers.length > 0 ? before + 2 : before);
      await platform.startDispatcher();
      await waitForRuns(first, before + 3);
    }
    await redis.kill();
    const { total_executions: before } = await user.job(first);
    await waitForRuns(first, before + 2);
    await redis.server.restart({ wipe: true });
    await waitForRuns(first, before + 4);
    for (const id of ids) {
      const seconds = await stopAndRead(id);
      expect(seconds).toEqual(everySecond(seconds));
    }
  });
});
