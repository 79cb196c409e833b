import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, type Caller, type JsonObject, type Scope } from '@app/kernel';
import { createTestContext, testCaller, type TestContext } from '@app/testing';
import { OrphanedWorkService } from '../worker-deliveries/orphaned-work.service.js';
import { OpenGateModule } from '../testing/open-gate.module.js';
import { ExecutionService } from '../executions/execution.service.js';
import { ExecutionsModule } from '../executions.module.js';
import { LeaseReleaseService } from '../leases/lease-release.service.js';
import { LeaseService } from '../leases/lease.service.js';
import type { LeasedExecution } from '../leases/lease.types.js';
import { SessionService } from '../conversations/session.service.js';
import { ConversationService } from '../conversations/conversation.service.js';
import { passLeaseTime, startRequest } from '../testing/execution-fixtures.js';
import { TimelineService } from './timeline.service.js';
import type { Timeline } from './timeline.types.js';

const LEASE_MS = 60_000;
const PLATFORM = { kind: 'platform', id: null, name: null };

describe('the timeline of an execution', () => {
  let context: TestContext;
  let executions: ExecutionService;
  let leases: LeaseService;
  let releases: LeaseReleaseService;
  let timelines: TimelineService;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, ExecutionsModule]);
    executions = context.get(ExecutionService);
    leases = context.get(LeaseService);
    releases = context.get(LeaseReleaseService);
    timelines = context.get(TimelineService);
  });

  afterAll(() => context.close());

  interface Run extends Scope {
    readonly id: string;
    readonly queueId: string;
    readonly workerId: string;
    readonly user: Caller;
    readonly worker: object;
  }

  async function newRun(config: JsonObject = {}): Promise<Run> {
    const user = testCaller({ userName: 'Ada' });
    const ids = { organizationId: user.organizationId, queueId: newId(), workerId: newId() };
    const { id } = await executions.start(ids, { ...startRequest(ids.queueId), config });
    return { ...ids, id, user, worker: { kind: 'worker', id: ids.workerId, name: 'host-1' } };
  }

  async function lease(run: Run): Promise<LeasedExecution> {
    const poll = { ...run, max: 1, waitMs: 10_000, leaseMs: LEASE_MS, confirmMs: LEASE_MS, runnerName: 'host-1' };
    const [leased] = await leases.poll(run, poll);
    if (leased === undefined) throw new Error('Nothing was leased');
    return leased;
  }

  async function begin(run: Run): Promise<string> {
    const { leaseToken } = await lease(run);
    await executions.patch(run, run.id, { status: 'running' }, leaseToken);
    return leaseToken;
  }

  const read = (run: Run): Promise<Timeline> => timelines.read(run, run.id);

  const changesOf = async (run: Run): Promise<unknown[]> =>
    (await read(run)).transitions.map(({ from, to, attempt, actor, reason }) => [from, to, attempt, actor, reason]);

  const outcomesOf = async (run: Run): Promise<unknown[]> =>
    (await read(run)).attempts.map(({ attempt, outcome, error_message }) => [attempt, outcome, error_message]);

  it('names the user, the worker or the platform that made each change', async () => {
    const run = await newRun();
    const token = await begin(run);
    const user = { kind: 'user', id: run.user.userId, name: 'Ada' };
    await executions.pause(run.user, run.id, null);
    await executions.resume(run.user, run.id, null);
    await executions.patch(run.user, run.id, { usage: { total_tokens: 1 } }, token);
    await executions.patch(run.user, run.id, { status: 'completed' }, token);
    await executions.patch(run.user, run.id, { status: 'completed', response: 'late' }, token);
    expect(await changesOf(run)).toEqual([
      [null, 'pending', 1, { kind: 'user', id: 'user-1', name: 'Ada' }, 'manual'],
      ['pending', 'running', 1, run.worker, null],
      ['running', 'paused', 1, user, null],
      ['paused', 'running', 1, user, null],
      ['running', 'completed', 1, run.worker, null],
    ]);
    const { attempts, ...facts } = await read(run);
    expect(attempts).toEqual([
      {
        attempt: 1,
        queued_at: expect.any(Date),
        leased_at: expect.any(Date),
        started_at: expect.any(Date),
        ended_at: expect.any(Date),
        worker_id: run.workerId,
        worker_name: 'host-1',
        outcome: 'completed',
        error_message: null,
        was_held: false,
      },
    ]);
    expect(facts).toMatchObject({ id: run.id, status: 'completed', worker_queue_id: run.queueId, children: 0 });
  });

  it('shows attempts that ended with a lost worker, a returned lease or a retried failure', async () => {
    const policy = { max_attempts: 3, retry_on: ['lost', 'failed'], backoff: { delay_seconds: 0 } };
    const run = await newRun({ retry_policy: policy });
    await releases.releaseUndelivered(run, await lease(run), 'response_lost');
    await begin(run);
    await passLeaseTime(context.database, LEASE_MS);
    await releases.reapExpired();
    const token = await begin(run);
    await executions.patch(run, run.id, { status: 'failed', error_message: 'Out of tokens' }, token);
    await begin(run);
    await leases.releaseAll(run, run.workerId, 'crash');
    expect(await outcomesOf(run)).toEqual([
      [1, 'handed_back', null],
      [1, 'lease_expired', 'The worker stopped responding'],
      [2, 'failed', 'Out of tokens'],
      [3, 'lease_expired', 'The worker crashed'],
    ]);
    expect(await changesOf(run)).toEqual([
      [null, 'pending', 1, expect.anything(), 'manual'],
      ['pending', 'running', 1, run.worker, null],
      ['running', 'pending', 2, PLATFORM, 'The worker stopped responding'],
      ['pending', 'running', 2, run.worker, null],
      ['running', 'pending', 3, run.worker, 'Out of tokens'],
      ['pending', 'running', 3, run.worker, null],
      ['running', 'failed', 3, run.worker, 'The worker crashed'],
    ]);
  });

  it('shows time limits', async () => {
    const policy = { max_attempts: 2, retry_on: ['timeout'], backoff: { delay_seconds: 0 } };
    const run = await newRun({ timeout_seconds: 30, retry_policy: policy });
    for (const attempt of [1, 2]) {
      expect((await read(run)).attempts).toHaveLength(attempt);
      await begin(run);
      await passLeaseTime(context.database, 31_000 + LEASE_MS);
      await releases.endTimedOut();
    }
    const message = 'The execution did not finish within 30 s';
    expect(await outcomesOf(run)).toEqual([
      [1, 'failed', message],
      [2, 'failed', message],
    ]);
    expect((await changesOf(run)).at(-1)).toEqual(['running', 'failed', 2, PLATFORM, message]);
  });

  it('shows the user whose message resumed a run that waited for input', async () => {
    const run = await newRun();
    const token = await begin(run);
    await context.get(ConversationService).waitForInput(run, run.id, {}, token);
    await context.get(SessionService).send(run.user, run.id, { message: 'Go on' }, null);
    expect((await changesOf(run)).slice(2)).toEqual([
      ['running', 'waiting_for_input', 1, run.worker, null],
      ['waiting_for_input', 'pending', 1, { kind: 'user', id: run.user.userId, name: 'Ada' }, null],
    ]);
    expect(await outcomesOf(run)).toEqual([
      [1, 'handed_back', null],
      [1, null, null],
    ]);
  });

  it('shows starts that fail, deleted queues and runs that cannot be assembled', async () => {
    const run = await newRun();
    const failed = await executions.startFailed(run, startRequest(run.queueId), 'No such agent');
    expect(await timelines.read(run, failed.id)).toMatchObject({
      attempts: [],
      transitions: [{ from: null, to: 'failed', attempt: 1, reason: 'No such agent' }],
    });
    await context.get(OrphanedWorkService).failOrphaned(async () => new Set(), new AbortController().signal);
    const reason = `The worker queue ${run.queueId} no longer exists`;
    expect((await changesOf(run)).at(-1)).toEqual(['pending', 'failed', 1, PLATFORM, reason]);
    expect(await outcomesOf(run)).toEqual([[1, 'failed', reason]]);
    const other = await newRun();
    await executions.fail(other, other.id, 'Cannot be assembled', (await lease(other)).leaseToken);
    expect((await changesOf(other)).at(-1)).toEqual(['pending', 'failed', 1, PLATFORM, 'Cannot be assembled']);
  });

  it('counts only the child executions of the same organization', async () => {
    const run = await newRun();
    await executions.start(run, { ...startRequest(run.queueId), parentExecutionId: run.id });
    expect(await read(run)).toMatchObject({ children: 1 });
    await expect(timelines.read({ organizationId: newId() }, run.id)).rejects.toMatchObject({
      code: 'execution_not_found',
    });
  });
});
