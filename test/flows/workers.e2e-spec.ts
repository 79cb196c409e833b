import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import { Platform } from '../support/platform.js';
import { countersOf, dataOf, ofType, Scenario } from '../support/scenario.js';

/** A run that takes longer than any of these tests. */
const ENDLESS = '[[pace 50ms]] [[tokens 5000]]';

describe('workers', () => {
  let platform: Platform;
  let user: Scenario;
  let agentId: string;

  beforeAll(async () => {
    platform = await Platform.shared();
    user = new Scenario(platform);
    agentId = await user.newAgent();
  });

  afterAll(() => platform.stop());

  async function workerStatus(id: string): Promise<object> {
    return unwrap(user.client.GET('/api/v1/workers/{worker_id}', { params: { path: { worker_id: id } } }));
  }

  /** Publishes an event and returns its counter, which is one more than the number of stored events. */
  async function nextCounter(executionId: string): Promise<number> {
    const params = { path: { execution_id: executionId } };
    const body = { event_type: 'probe' };
    const { event_id: id } = await unwrap(
      user.client.POST('/api/v1/executions/{execution_id}/events', { params, body }),
    );
    return countersOf([{ id, event: 'probe', data: {} }])[0] ?? Number.NaN;
  }

  it.each([
    ['[[error 400]]', {}, 'responded with 400'],
    ['[[say]]', {}, 'The answer of the model is empty'],
    [ENDLESS, { timeout_seconds: 0.5 }, 'did not finish within 0.5 s'],
  ])('repeat a run after a failure that the retry policy lists: %s', async (prompt, limits, reason) => {
    await platform.startWorker();
    const backoff = { type: 'fixed', delay_seconds: 0.1 };
    const retry_policy = { max_attempts: 2, retry_on: ['failed', 'timeout'], backoff };
    const jobId = await user.newJob(agentId, { config: { ...limits, retry_policy } });
    const { execution_id: id } = await user.trigger(jobId, { prompt });
    const events = await user.follow(id).done;
    const failure = { status: 'failed', error_message: expect.stringContaining(reason) };
    expect(events.at(-1)).toMatchObject({ event: 'done', data: failure });
    expect(ofType(events, 'status').map(({ data }) => data)).toMatchObject([
      { status: 'running' },
      { status: 'pending', previous_status: 'running', attempt: 2, retry_at: expect.any(String) },
      { status: 'running' },
      { status: 'failed' },
    ]);
    expect(ofType(events, 'run_started').map(dataOf)).toMatchObject([{ attempt: 1 }, { attempt: 2 }]);
    // A worker writes the record of a run after its final state, which ends the stream.
    await eventually(async () => {
      expect((await user.tasks(id)).map(({ status }) => status)).toEqual(['failed', 'failed']);
      expect(await user.job(jobId)).toMatchObject({ total_executions: 1, failed_executions: 1 });
    });
  });

  it('run each of forty executions of a job once, shared between two workers', async () => {
    const queueId = await user.newQueue('forty');
    // One of them would need five seconds for all, while the other one waits for work.
    const env = { WORKER_QUEUE: queueId, WORKER_CONCURRENCY: '4' };
    const workers = await Promise.all([platform.startWorker(env), platform.startWorker(env)]);
    const jobId = await user.newJob(agentId, { executor_type: 'specific_queue', worker_queue_name: 'forty' });
    const triggered = await Promise.all(
      Array.from({ length: 40 }, (_, n) => user.trigger(jobId, { prompt: `[[delay 500ms]] number ${n}` })),
    );
    const ids = triggered.map(({ execution_id }) => execution_id);
    expect(new Set(ids).size).toBe(40);
    const stories = await Promise.all(ids.map((id) => user.follow(id).done));

    const starts = stories.map((events) => ofType(events, 'run_started').map(dataOf));
    expect(starts.map((runs) => runs.map(({ attempt }) => attempt))).toEqual(ids.map(() => [1]));
    // Without the stored messages, which a stream that is opened late begins with and which have no event id.
    const published = stories.map((events) => ofType(events, 'message').filter(({ id }) => id !== undefined));
    expect(published.map(({ length }) => length)).toEqual(ids.map(() => 1));
    expect(new Set(starts.map(([run]) => run?.['worker_id']))).toEqual(new Set(workers.map(({ id }) => id)));
    const rows = await platform.sql<{ status: string; attempt: number; count: string }>(
      'SELECT status, attempt, count(*) FROM executions WHERE job_id = $1 GROUP BY status, attempt',
      [jobId],
    );
    expect(rows).toEqual([{ status: 'completed', attempt: 1, count: '40' }]);
    // A worker writes the record of a run after its final state, which ends the stream.
    await eventually(async () => {
      const records = await platform.sql<{ records: string; executions: string }>(
        `SELECT count(*) AS records, count(DISTINCT execution_id) AS executions FROM task_records
         WHERE execution_id = ANY($1)`,
        [ids],
      );
      expect(records).toEqual([{ records: '40', executions: '40' }]);
    });
    const counts = { total_executions: 40, successful_executions: 40, failed_executions: 0 };
    await eventually(async () => expect(await user.job(jobId)).toMatchObject(counts));
    await Promise.all(workers.map(({ process }) => process.kill('SIGTERM')));
  });

  it('never start an execution that was cancelled while it waited', async () => {
    const queueId = await user.newQueue('cancelled-before');
    const cancelled = await user.execute(agentId, 'Do not do this', queueId);
    const executed = await user.execute(agentId, 'Do this', queueId);
    expect(await user.cancel(cancelled)).toMatchObject({ status: 'cancelled', started_at: null });
    const worker = await platform.startWorker({ WORKER_QUEUE: queueId, WORKER_CONCURRENCY: '1' });
    expect(await user.waitUntilEnded(executed)).toMatchObject({ status: 'completed' });
    await worker.process.kill('SIGTERM');
    const types = (await user.readEvents(cancelled)).map(({ event }) => event);
    expect(types).toEqual(['connected', 'history_complete', 'status', 'done']);
    expect(await user.execution(cancelled)).toMatchObject({ status: 'cancelled', started_at: null, response: null });
    expect(await user.tasks(cancelled)).toEqual([]);
  });

  it('stop a cancelled run, and write only what it used and said until then', async () => {
    const queueId = await user.newQueue('cancelled-during');
    const worker = await platform.startWorker({ WORKER_QUEUE: queueId, WORKER_CONCURRENCY: '1' });
    const id = await user.execute(agentId, ENDLESS, queueId);
    const reader = user.follow(id);
    await reader.waitFor('message_chunk');
    // The worker receives its commands over a WebSocket.
    const { connections } = await unwrap(user.client.GET('/api/v1/ws/stats'));
    expect(connections).toBeGreaterThanOrEqual(1);
    const cancelled = await user.cancel(id);
    expect(cancelled).toMatchObject({ status: 'cancelled', completed_at: expect.any(String) });
    const events = await reader.done;
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { status: 'cancelled' } });
    // The worker runs one execution at a time, so it has stopped the cancelled one once it completes the next.
    expect(await user.waitUntilEnded(await user.execute(agentId, 'Next', queueId))).toMatchObject({
      status: 'completed',
    });
    const lastMessage = { last_message_at: expect.any(String), last_message_preview: expect.any(String) };
    const late = { usage: expect.objectContaining({ requests: 1 }), updated_at: expect.any(String), ...lastMessage };
    expect(await user.execution(id)).toEqual({ ...cancelled, ...late });
    expect(await user.tasks(id)).toEqual([]);
    expect(await nextCounter(id)).toBe((countersOf(events).at(-1) ?? 0) + 1);
    await worker.process.kill('SIGTERM');
  });

  it('finish their runs before they stop, lease nothing new, and report the reason of their disconnect', async () => {
    const queueId = await user.newQueue('stopping');
    const worker = await platform.startWorker({ WORKER_QUEUE: queueId });
    const id = await user.execute(agentId, '[[pace 20ms]] [[tokens 40]]', queueId);
    await user.follow(id).waitFor('message_chunk');
    worker.process.signal('SIGTERM');
    const late = await user.execute(agentId, 'Too late for this worker', queueId);
    expect(await worker.process.waitForExit()).toBe(0);
    expect(await user.execution(id)).toMatchObject({ status: 'completed' });
    expect(await user.execution(late)).toMatchObject({ status: 'pending' });
    const disconnected = {
      status: 'disconnected',
      reason: 'shutdown',
      exit_code: 0,
      disconnected_at: expect.any(String),
    };
    expect(await workerStatus(worker.id)).toMatchObject(disconnected);
    await user.cancel(late);
  });

  it('release at once the runs they cannot finish in time, for another worker in the same attempt', async () => {
    const queueId = await user.newQueue('release-at-shutdown');
    const env = { WORKER_QUEUE: queueId, WORKER_SHUTDOWN_GRACE_MS: '100' };
    const worker = await platform.startWorker(env);
    const id = await user.execute(agentId, '[[pace 50ms]] [[tokens 60]]', queueId);
    const reader = user.follow(id);
    await reader.waitFor('message_chunk');
    expect(await worker.process.kill('SIGTERM')).toBe(0);
    expect(await workerStatus(worker.id)).toMatchObject({ status: 'disconnected', reason: 'shutdown', exit_code: 0 });
    const released = await user.execution(id);
    expect(released).toMatchObject({ status: 'pending', completed_at: null });
    const second = await platform.startWorker(env);
    const starts = ofType(await reader.done, 'run_started').map(dataOf);
    expect(starts).toMatchObject([
      { worker_id: worker.id, attempt: 1 },
      { worker_id: second.id, attempt: 1 },
    ]);
    expect(await user.execution(id)).toMatchObject({ status: 'completed' });
  });
});
