import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { lostOf } from '../support/chaos.js';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { dataOf, ofType, Scenario } from '../support/scenario.js';

const HEARTBEAT_SECONDS = 10;
/** Leases of five seconds at the shortest heartbeat, so that they expire within a test. */
const SHORT_LEASES = { LEASE_HEARTBEATS: '0.5', RECONCILE_INTERVAL_MS: '500' };
/** A run of about two seconds. */
const LONG_RUN = '[[pace 20ms]] [[tokens 100]]';
/** A run that takes longer than any of these tests. */
const ENDLESS = '[[pace 50ms]] [[tokens 5000]]';

describe('death of a worker', () => {
  let platform: Platform;
  let user: Scenario;
  let agentId: string;
  /** A run whose worker was killed before the tests, with a lease of the default length. */
  let orphan: { readonly id: string; readonly killedAt: number };

  beforeAll(async () => {
    platform = await Platform.start({
      modelGateway: true,
      env: { ...SHORT_LEASES, DEFAULT_MODEL: 'development-model' },
    });
    user = new Scenario(platform);
    agentId = await user.newAgent();
    orphan = await newOrphanWithDefaultLease();
  });

  afterAll(() => platform.stop());

  async function newOrphanWithDefaultLease(): Promise<{ id: string; killedAt: number }> {
    const controlPlane = await platform.startControlPlane({ LEASE_HEARTBEATS: '1.5' });
    const queueId = await user.newQueue('default-lease', { heartbeat_interval: HEARTBEAT_SECONDS });
    const worker = await platform.startWorker({ WORKER_QUEUE: queueId, CONTROL_PLANE_URL: controlPlane.url });
    const id = await user.execute(agentId, ENDLESS, queueId);
    await user.follow(id).waitFor('message_chunk');
    await worker.process.kill('SIGKILL');
    return { id, killedAt: performance.now() };
  }

  async function tokenOf(executionId: string): Promise<string> {
    const [row] = await platform.sql<{ lease_token: string }>('SELECT lease_token FROM executions WHERE id = $1', [
      executionId,
    ]);
    return row?.lease_token ?? '';
  }

  /** Sends every write of a worker under a stale token, and returns the response statuses. */
  async function writeLate(executionId: string, jobId: string, token: string): Promise<number[]> {
    const writes = [
      ['POST', `executions/${executionId}/events`, { event_type: 'late', data: { content: 'late' } }],
      ['PATCH', `executions/${executionId}`, { status: 'running', usage: { late: 1 } }],
      ['PATCH', `executions/${executionId}`, { execution_metadata: { late: 1 } }],
      ['PATCH', `executions/${executionId}`, { status: 'completed', response: 'late' }],
      ['PATCH', `executions/${executionId}/status`, { status: 'failed' }],
      ['POST', `analytics/tasks`, { execution_id: executionId, task_id: 'late', task_description: 'late' }],
      ['POST', `executions/${executionId}/job/${jobId}/status`, { status: 'failed', error_message: 'late' }],
    ] as const;
    const responses = await Promise.all(
      writes.map(([method, path, body]) =>
        call(method, `${platform.url}/api/v1/${path}`, {
          key: platform.adminKey,
          body,
          headers: { 'X-Lease-Token': token },
        }),
      ),
    );
    return responses.map(({ status }) => status);
  }

  async function snapshotOf(executionId: string): Promise<string> {
    const events = (await user.readEvents(executionId)).filter(({ id }) => id !== undefined);
    return JSON.stringify([await user.execution(executionId), await user.tasks(executionId), events]);
  }

  it('during a run: another worker finishes it as attempt 2, and late writes are rejected', async () => {
    const queueId = await user.newQueue('killed');
    const jobId = await user.newJob(agentId, { executor_type: 'specific_queue', worker_queue_name: 'killed' });
    const first = await platform.startWorker({ WORKER_QUEUE: queueId });
    const { execution_id: id } = await user.trigger(jobId, { prompt: LONG_RUN });
    const reader = user.follow(id);
    await reader.waitFor('message_chunk');
    const staleToken = await tokenOf(id);
    await first.process.kill('SIGKILL');
    const second = await platform.startWorker({ WORKER_QUEUE: queueId });
    await eventually(() => expect(ofType(reader.events, 'run_started')).toHaveLength(2));

    const conflicts = Array.from({ length: 7 }, () => 409);
    expect(await writeLate(id, jobId, staleToken)).toEqual(conflicts);
    const events = await reader.done;
    const { status } = await user.execution(id);
    expect(lostOf([id], status === 'completed' ? [id] : [])).toEqual([]);
    expect(ofType(events, 'run_started').map(dataOf)).toMatchObject([
      { attempt: 1, worker_id: first.id },
      { attempt: 2, worker_id: second.id },
    ]);
    expect(ofType(events, 'status').map(({ data }) => data['status'])).toEqual([
      'running',
      'pending',
      'running',
      'completed',
    ]);
    // Before it exits, the worker sends the last write of its run: the status report to the job.
    await second.process.kill('SIGTERM');
    const before = await snapshotOf(id);
    expect(before).not.toContain('late');
    expect(await writeLate(id, jobId, staleToken)).toEqual(conflicts);
    expect(await snapshotOf(id)).toBe(before);
    expect(await user.tasks(id)).toHaveLength(1);
    const counts = { total_executions: 1, successful_executions: 1, failed_executions: 0 };
    await eventually(async () => expect(await user.job(jobId)).toMatchObject(counts));
  });

  it('during the last attempt: the execution fails with the cause', async () => {
    const queueId = await user.newQueue('last-attempt');
    const config = { retry_policy: { max_attempts: 1 } };
    const jobId = await user.newJob(agentId, {
      executor_type: 'specific_queue',
      worker_queue_name: 'last-attempt',
      config,
    });
    const worker = await platform.startWorker({ WORKER_QUEUE: queueId });
    const { execution_id: id } = await user.trigger(jobId, { prompt: ENDLESS });
    const reader = user.follow(id);
    await reader.waitFor('message_chunk');
    await worker.process.kill('SIGKILL');
    const events = await reader.done;
    const failure = { status: 'failed', error_message: expect.stringContaining('attempt 1 of 1') };
    expect(events.at(-1)).toMatchObject({ event: 'done', data: failure });
    expect(await user.execution(id)).toMatchObject({ ...failure, completed_at: expect.any(String) });
    const counts = { total_executions: 1, failed_executions: 1 };
    await eventually(async () => expect(await user.job(jobId)).toMatchObject(counts));
  });

  it('without another worker: the execution becomes pending within two heartbeats', async () => {
    const remainingMs = 2 * HEARTBEAT_SECONDS * 1000 - (performance.now() - orphan.killedAt);
    await eventually(async () => {
      expect(await user.execution(orphan.id)).toMatchObject({ status: 'pending', completed_at: null });
    }, remainingMs);
  });
});
