import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, type Caller } from '@app/kernel';
import { createTestContext, eventually, testCaller, type TestContext } from '@app/testing';
import { ExecutionService } from '../executions/execution.service.js';
import { ExecutionsModule } from '../executions.module.js';
import { LeaseReleaseService } from './lease-release.service.js';
import { LeaseService } from './lease.service.js';
import { OpenGateModule } from '../executions/open-gate.module.js';
import { SessionService } from '../sessions/session.service.js';
import { TaskRecordService } from '../task-records/task-record.service.js';
import { countWaiting } from '../testing/count-waiting.js';
import { startOf } from '../testing/start-of.js';

const LEASE_MS = 60_000;

interface Run {
  readonly caller: Caller;
  readonly id: string;
  readonly token: string;
}

describe('what a worker writes beside its execution', () => {
  let context: TestContext;
  let executions: ExecutionService;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, ExecutionsModule]);
    executions = context.get(ExecutionService);
  });

  afterAll(() => context.close());

  const somebodyWaits = (): Promise<void> =>
    eventually(async () => expect(await countWaiting(context.database)).toBe(1), 30_000);

  async function newRun(): Promise<Run> {
    const [caller, queueId] = [testCaller(), newId()];
    const { id } = await executions.start(caller, startOf(queueId));
    const request = { workerId: newId(), queueId, max: 1, waitMs: 5000, leaseMs: LEASE_MS, confirmMs: LEASE_MS };
    const [leased] = await context.get(LeaseService).poll(caller, request);
    const token = leased?.leaseToken ?? '';
    await executions.patch(caller, id, { status: 'running' }, token);
    await context.get(TaskRecordService).save(caller, id, { task_id: 'known' }, null);
    return { caller, id, token };
  }

  /** Leaves the lease the given time, in milliseconds; less than none is a lease that ran out. */
  async function leaveLease({ caller, id }: Run, forMs: number): Promise<void> {
    await context.database.sql(
      `UPDATE executions SET lease_expires_at = now() + $3 * interval '1 millisecond'
       WHERE organization_id = $1 AND id = $2`,
      [caller.organizationId, id, forMs],
    );
  }

  async function leaseLeftMs({ caller, id }: Run): Promise<number> {
    const [row] = await context.database.sql<{ left: number }>(
      `SELECT extract(epoch FROM lease_expires_at - now())::float8 * 1000 AS left FROM executions
       WHERE organization_id = $1 AND id = $2`,
      [caller.organizationId, id],
    );
    return row?.left ?? 0;
  }

  /** Everything that is written beside the run. */
  async function written({ caller, id }: Run): Promise<unknown> {
    const page = { skip: 0, limit: 100 };
    const { total_tool_calls, total_turns } = await context.get(TaskRecordService).summary(caller, {});
    return {
      messages: await context.get(SessionService).history(caller, id, 0),
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
      ({ caller }, token) => context.get(TaskRecordService).update(caller, 'known', { status: 'done' }, token),
    ],
    [
      'a batch of records',
      ({ caller, id }, token) => context.get(TaskRecordService).saveBatch(caller, id, batch, token),
    ],
  ];

  describe.each(writes)('%s', (what, write) => {
    it('is written under the current token, and without one', async () => {
      const run = await newRun();
      const before = await written(run);
      await write(run, run.token);
      expect(await written(run)).not.toEqual(before);
      await write(run, null);
    });

    it('renews the lease', async () => {
      const run = await newRun();
      await leaveLease(run, 10_000);
      await write(run, null);
      expect(await leaseLeftMs(run)).toBeLessThan(10_001);
      await write(run, run.token);
      expect(await leaseLeftMs(run)).toBeGreaterThan(LEASE_MS / 2);
    });

    it('is refused under another token, and when there is no such execution', async () => {
      const run = await newRun();
      const before = await written(run);
      await expect(write(run, 'another')).rejects.toMatchObject({ code: 'lease_lost' });
      expect(await written(run)).toEqual(before);
      const elsewhere = { ...run, caller: testCaller() };
      await expect(write(elsewhere, run.token)).rejects.toMatchObject({ kind: 'not_found' });
      await expect(write(elsewhere, null)).rejects.toMatchObject({ kind: 'not_found' });
    });

    it('is refused when the lease is taken away at this very moment', async () => {
      const run = await newRun();
      const before = await written(run);
      await leaveLease(run, -1);
      let reaped = (): void => undefined;
      const late = new Promise<void>((resolve) => (reaped = resolve))
        .then(() => write(run, run.token))
        .catch((error: unknown) => error);
      await context.database.transaction(async () => {
        await context.get(LeaseReleaseService).reapExpired();
        reaped();
        await Promise.race([somebodyWaits(), late]);
      });
      expect(await late).toMatchObject({ code: 'lease_lost' });
      expect(await written(run)).toEqual(before);
    });

    it('is taken late from the worker that ended the execution, except a message', async () => {
      const run = await newRun();
      await executions.patch(run.caller, run.id, { status: 'completed' }, run.token);
      const late = await write(run, run.token).catch((error: unknown) => error);
      if (what === 'a message') expect(late).toMatchObject({ code: 'execution_finished' });
      else expect(late).not.toBeInstanceOf(Error);
    });
  });
});
