import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, type Caller } from '@app/kernel';
import { createTestContext, eventually, testCaller, type TestContext } from '@app/testing';
import { ExecutionService } from '../executions/execution.service.js';
import { ExecutionAnalyticsService } from '../analytics/execution-analytics.service.js';
import { ExecutionsModule } from '../executions.module.js';
import { LeaseReleaseService } from './lease-release.service.js';
import { LeaseService } from './lease.service.js';
import { OpenGateModule } from '../testing/open-gate.module.js';
import { SessionService } from '../conversations/session.service.js';
import { TaskRecordService } from '../task-records/task-record.service.js';
import { countLockWaits, startRequest } from '../testing/execution-fixtures.js';

const LEASE_MS = 60_000;

interface Run {
  readonly caller: Caller;
  readonly id: string;
  readonly token: string;
}

describe('ExecutionFence, for writes outside the row of the execution', () => {
  let context: TestContext;
  let executions: ExecutionService;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, ExecutionsModule]);
    executions = context.get(ExecutionService);
  });

  afterAll(() => context.close());

  const waitForLockWait = (): Promise<void> =>
    eventually(async () => expect(await countLockWaits(context.database)).toBe(1));

  async function newRun(): Promise<Run> {
    const [caller, queueId] = [testCaller(), newId()];
    const { id } = await executions.start(caller, startRequest(queueId));
    const request = { workerId: newId(), queueId, max: 1, waitMs: 5000, leaseMs: LEASE_MS, confirmMs: LEASE_MS };
    const [leased] = await context.get(LeaseService).poll(caller, request);
    const token = leased?.leaseToken ?? '';
    await executions.patch(caller, id, { status: 'running' }, token);
    await context.get(TaskRecordService).save(caller, id, { task_id: 'existing' }, null);
    return { caller, id, token };
  }

  /** Sets the remaining time of the lease; a negative time expires it. */
  async function setLeaseRemaining({ caller, id }: Run, remainingMs: number): Promise<void> {
    await context.database.sql(
      `UPDATE executions SET lease_expires_at = now() + $3 * interval '1 millisecond'
       WHERE organization_id = $1 AND id = $2`,
      [caller.organizationId, id, remainingMs],
    );
  }

  async function leaseRemainingMs({ caller, id }: Run): Promise<number> {
    const [row] = await context.database.sql<{ remaining: number }>(
      `SELECT extract(epoch FROM lease_expires_at - now())::float8 * 1000 AS remaining FROM executions
       WHERE organization_id = $1 AND id = $2`,
      [caller.organizationId, id],
    );
    return row?.remaining ?? 0;
  }

  /** Returns everything that the guarded writes store. */
  async function storedData({ caller, id }: Run): Promise<unknown> {
    const page = { skip: 0, limit: 100 };
    const { total_tool_calls, total_turns } = await context.get(ExecutionAnalyticsService).summary(caller, {});
    return {
      messages: await context.get(SessionService).history(caller, id).next(),
      tasks: await context.get(TaskRecordService).list(caller, id, page),
      records: [total_tool_calls, total_turns],
    };
  }

  const batch = { tasks: [], tool_calls: [{ id: 'c1' }], turns: [{ id: 't1' }] };
  const writes: [string, (run: Run, token: string | null) => Promise<unknown>][] = [
    ['its session', ({ caller, id }, token) => context.get(SessionService).save(caller, id, { messages: [{}] }, token)],
    ['a message', ({ caller, id }, token) => context.get(SessionService).send(caller, id, { message: 'x' }, token)],
    ['a task record', ({ caller, id }, token) => context.get(TaskRecordService).save(caller, id, {}, token)],
    [
      'an update of a task record',
      ({ caller }, token) => context.get(TaskRecordService).update(caller, 'existing', { status: 'done' }, token),
    ],
    [
      'a batch of records',
      ({ caller, id }, token) => context.get(TaskRecordService).saveBatch(caller, id, batch, token),
    ],
  ];

  describe.each(writes)('%s', (name, write) => {
    it('is stored under the current token and without a token', async () => {
      const run = await newRun();
      const before = await storedData(run);
      await write(run, run.token);
      expect(await storedData(run)).not.toEqual(before);
      await write(run, null);
    });

    it('renews the lease', async () => {
      const run = await newRun();
      await setLeaseRemaining(run, 10_000);
      await write(run, null);
      expect(await leaseRemainingMs(run)).toBeLessThan(10_001);
      await write(run, run.token);
      expect(await leaseRemainingMs(run)).toBeGreaterThan(LEASE_MS / 2);
    });

    it('is rejected under a stale token and for an unknown execution', async () => {
      const run = await newRun();
      const before = await storedData(run);
      await expect(write(run, 'another')).rejects.toMatchObject({ code: 'lease_lost' });
      expect(await storedData(run)).toEqual(before);
      const elsewhere = { ...run, caller: testCaller() };
      await expect(write(elsewhere, run.token)).rejects.toMatchObject({ kind: 'not_found' });
      await expect(write(elsewhere, null)).rejects.toMatchObject({ kind: 'not_found' });
    });

    it('is rejected when the lease is released concurrently', async () => {
      const run = await newRun();
      const before = await storedData(run);
      await setLeaseRemaining(run, -1);
      let onReaped = (): void => undefined;
      const late = new Promise<void>((resolve) => (onReaped = resolve))
        .then(() => write(run, run.token))
        .catch((error: unknown) => error);
      await context.database.transaction(async () => {
        await context.get(LeaseReleaseService).reapExpired();
        onReaped();
        await Promise.race([waitForLockWait(), late]);
      });
      expect(await late).toMatchObject({ code: 'lease_lost' });
      expect(await storedData(run)).toEqual(before);
    });

    it('is accepted from the worker that ended the execution, except for a message', async () => {
      const run = await newRun();
      await executions.patch(run.caller, run.id, { status: 'completed' }, run.token);
      const late = await write(run, run.token).catch((error: unknown) => error);
      if (name === 'a message') expect(late).toMatchObject({ code: 'execution_finished' });
      else expect(late).not.toBeInstanceOf(Error);
    });
  });
});
