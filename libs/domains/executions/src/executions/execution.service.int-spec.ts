import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Database } from '@app/database';
import { newId, type Scope } from '@app/kernel';
import { createTestContext, eventually, ManualClock, type TestContext } from '@app/testing';
import { ExecutionFinishedHandler } from './execution-finished.handler.js';
import { ExecutionService } from './execution.service.js';
import { ExecutionsModule } from '../executions.module.js';
import { JobRunsService } from '../job-runs/job-runs.service.js';
import { startRequest } from '../testing/execution-fixtures.js';
import { OpenGateModule } from '../testing/open-gate.module.js';

const firstPage = { skip: 0, limit: 100 };

describe('ExecutionService', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let executions: ExecutionService;
  let jobs: JobRunsService;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, ExecutionsModule], { clock });
    executions = context.get(ExecutionService);
    jobs = context.get(JobRunsService);
  });

  afterAll(() => context.close());

  const newScope = (): Scope => ({ organizationId: newId() });

  it('starts executions as pending, with the user as owner', async () => {
    const scope = newScope();
    const started = await executions.start(scope, startRequest(newId()));
    expect(started).toMatchObject({
      organization_id: scope.organizationId,
      status: 'pending',
      entity_name: 'Greeter',
      user_id: 'user-1',
      started_at: null,
      completed_at: null,
      usage: {},
      execution_metadata: {},
      participants: [
        { user_id: 'user-1', user_email: 'ada@example.com', role: 'owner', joined_at: clock.now().toISOString() },
      ],
    });
    expect(started).toMatchObject(await executions.read(scope, started.id));
  });

  it('rejects lists of executions and of runs of a job that exceed the memory limit', async () => {
    const scope = newScope();
    const ids: string[] = [];
    for (const _ of [1, 2, 3]) ids.push((await executions.start(scope, { ...startRequest(newId()), jobId: 'j' })).id);
    const database = context.get(Database);
    const grow = (column: string): Promise<unknown> =>
      database.sql(`UPDATE executions SET ${column} = repeat('x', 3000000) WHERE organization_id = $1`, [
        scope.organizationId,
      ]);
    await grow('prompt');
    expect((await jobs.list(scope, 'j', firstPage)).items).toHaveLength(3);
    await expect(executions.list(scope, {}, firstPage)).rejects.toMatchObject({ kind: 'invalid' });
    await expect(executions.byIds(scope, ids)).rejects.toMatchObject({ kind: 'invalid' });
    expect((await executions.list(scope, {}, { skip: 0, limit: 2 })).items).toHaveLength(2);
    await grow('error_message');
    await expect(jobs.list(scope, 'j', firstPage)).rejects.toMatchObject({ kind: 'invalid' });
  });

  it('inserts starts that cannot run as failed, with the reason', async () => {
    const scope = newScope();
    const failed = await executions.startFailed(scope, startRequest(newId()), 'There is no agent x');
    expect(await executions.read(scope, failed.id)).toMatchObject({
      status: 'failed',
      error_message: 'There is no agent x',
      completed_at: clock.now(),
    });
  });

  it('accepts an id of the client, once per organization', async () => {
    const [scope, another] = [newScope(), newScope()];
    const chosen = { ...startRequest(newId()), executionId: 'run:2026-01-01.a_b' };
    const created = await executions.create(scope, chosen);
    expect(created.id).toBe('run:2026-01-01.a_b');
    await expect(executions.create(scope, chosen)).rejects.toMatchObject({ code: 'execution_id_taken' });
    await executions.create(another, { ...chosen, prompt: 'theirs' });
    expect((await executions.read(scope, created.id)).prompt).toBe('Say hello');
  });

  it('throws not_found for executions of another organization', async () => {
    const { id } = await executions.start(newScope(), startRequest(newId()));
    const missing = { kind: 'not_found', code: 'execution_not_found' };
    await expect(executions.read(newScope(), id)).rejects.toMatchObject(missing);
    await expect(executions.patch(newScope(), id, { status: 'running' }, null)).rejects.toMatchObject(missing);
    await expect(executions.cancel(newScope(), id, null)).rejects.toMatchObject(missing);
  });

  it('leaves no row, counter or message when the transaction of a start is rolled back', async () => {
    const scope = newScope();
    const failing = context.database.transaction(async () => {
      await executions.start(scope, { ...startRequest(newId()), jobId: 'job-1' });
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect((await executions.list(scope, {}, firstPage)).total).toBe(0);
    expect((await jobs.countsOf(scope, ['job-1'])).get('job-1')?.total).toBe(0);
    const rows = await context.database.sql(`SELECT 1 FROM outbox WHERE payload->>'organizationId' = $1`, [
      scope.organizationId,
    ]);
    expect(rows).toEqual([]);
  });

  it('locks one of the counters of a job in a transaction that starts many executions', async () => {
    const scope = newScope();
    const start = (): Promise<unknown> => executions.start(scope, { ...startRequest(newId()), jobId: 'job-1' });
    const slots = async (): Promise<unknown> => {
      const text = `SELECT count(*)::integer AS slots, sum(total)::integer AS total FROM execution_counts WHERE organization_id = $1`;
      return (await context.database.sql(text, [scope.organizationId]))[0];
    };
    await context.database.transaction(async () => {
      for (let n = 0; n < 20; n += 1) await start();
    });
    expect(await slots()).toEqual({ slots: 1, total: 20 });
    for (let n = 0; n < 40; n += 1) await start();
    expect(await slots()).toEqual({ slots: 8, total: 60 });
  });

  it('stores the message about an end as it is relayed, with the delivery unless a worker ended the run under its lease', async () => {
    const scope = newScope();
    const queueId = newId();
    const cancelled = await executions.start(scope, startRequest(queueId));
    const completed = await executions.start(scope, startRequest(queueId));
    const sql = `UPDATE executions SET status = 'running', lease_token = 'token' WHERE id = $1`;
    await context.database.sql(sql, [completed.id]);
    const handle = jest.spyOn(context.get(ExecutionFinishedHandler), 'handle').mockRejectedValue(new Error('later'));
    await executions.cancel(scope, cancelled.id, null);
    await executions.patch(scope, completed.id, { status: 'completed' }, 'token');
    await executions.patch(scope, completed.id, { status: 'completed' }, 'token');
    await eventually(() => expect(handle).toHaveBeenCalledTimes(2));
    const relayed = handle.mock.calls.map(([message]) => message);
    handle.mockRestore();
    expect(relayed).toEqual([
      { ...scope, executionId: cancelled.id, from: 'pending', delivery: { queueId, attempt: 1 } },
      { ...scope, executionId: completed.id, from: 'running' },
    ]);
    const stored = await context.database.sql<{ payload: object }>(
      `SELECT payload FROM outbox WHERE topic = 'execution.finished' AND payload->>'organizationId' = $1 ORDER BY id`,
      [scope.organizationId],
    );
    expect(stored.map(({ payload }) => payload)).toEqual(relayed);
  });

  it('sets started_at with the first running status and completed_at with the final one', async () => {
    const scope = newScope();
    const { id } = await executions.start(scope, startRequest(newId()));
    clock.advance(1000);
    const startedAt = clock.now();
    expect(await executions.patch(scope, id, { status: 'running' }, null)).toMatchObject({
      started_at: startedAt,
      completed_at: null,
    });
    clock.advance(1000);
    await executions.patch(scope, id, { status: 'waiting_for_input' }, null);
    await executions.patch(scope, id, { status: 'running' }, null);
    clock.advance(1000);
    const completedAt = clock.now();
    expect(await executions.patch(scope, id, { status: 'completed' }, null)).toMatchObject({
      started_at: startedAt,
      completed_at: completedAt,
    });
  });

  it('stores the times of an update', async () => {
    const scope = newScope();
    const { id } = await executions.start(scope, startRequest(newId()));
    const [started_at, completed_at] = [new Date('2025-01-01T00:00:00Z'), new Date('2025-01-01T00:01:00Z')];
    await executions.patch(scope, id, { status: 'running', started_at }, null);
    expect(await executions.patch(scope, id, { status: 'failed', completed_at }, null)).toMatchObject({
      started_at,
      completed_at,
    });
  });

  it('accepts a repeated final status, which changes nothing, and rejects any other transition', async () => {
    const scope = newScope();
    const { id } = await executions.start(scope, startRequest(newId()));
    const ended = await executions.patch(scope, id, { status: 'completed', response: 'yes' }, null);
    clock.advance(1000);
    expect(await executions.patch(scope, id, { status: 'completed' }, null)).toEqual(ended);
    for (const status of ['failed', 'running', 'pending', 'cancelled'] as const) {
      await expect(executions.patch(scope, id, { status, response: 'no' }, null)).rejects.toMatchObject({
        kind: 'conflict',
        code: 'execution_transition_refused',
      });
    }
    expect(await executions.read(scope, id)).toEqual(ended);
  });

  it('stores usage and metadata after the end, verbatim', async () => {
    const scope = newScope();
    const { id } = await executions.start(scope, startRequest(newId()));
    const ended = await executions.patch(scope, id, { status: 'completed' }, null);
    clock.advance(1000);
    const usage = { z: 1, a: { d: [1, 'x', null], b: 0.1 } };
    const late = await executions.patch(scope, id, { status: 'completed', usage }, null);
    expect(JSON.stringify(late.usage)).toBe(JSON.stringify(usage));
    expect(late).toMatchObject({ completed_at: ended.completed_at, updated_at: clock.now() });
  });

  it('clears fields that an update sets to null and keeps absent ones', async () => {
    const scope = newScope();
    const { id } = await executions.start(scope, startRequest(newId()));
    await executions.patch(scope, id, { response: 'r', error_message: 'e', execution_metadata: { a: 1 } }, null);
    expect(await executions.patch(scope, id, { error_message: null }, null)).toMatchObject({
      response: 'r',
      error_message: null,
      execution_metadata: { a: 1 },
    });
  });

  it('pauses running executions only, and resumes paused or waiting ones only', async () => {
    const scope = newScope();
    const { id } = await executions.create(scope, startRequest(newId()));
    const rejection = { code: 'execution_transition_refused' };
    await expect(executions.pause(scope, id, null)).rejects.toMatchObject(rejection);
    await expect(executions.resume(scope, id, null)).rejects.toMatchObject(rejection);
    await executions.patch(scope, id, { status: 'running' }, null);
    expect((await executions.pause(scope, id, null)).status).toBe('paused');
    expect((await executions.pause(scope, id, null)).status).toBe('paused');
    expect((await executions.resume(scope, id, null)).status).toBe('running');
    await executions.cancel(scope, id, null);
    await expect(executions.resume(scope, id, null)).rejects.toMatchObject(rejection);
  });

  it('lists executions newest first, by filters', async () => {
    const scope = newScope();
    const ids: string[] = [];
    for (const entityId of ['a', 'b', 'a']) {
      clock.advance(1);
      ids.unshift((await executions.start(scope, { ...startRequest(newId()), entityId, jobId: `job-${entityId}` })).id);
    }
    await executions.cancel(scope, ids[0] ?? '', null);
    const idsOf = async (filter: object): Promise<string[]> =>
      (await executions.list(scope, filter, firstPage)).items.map(({ id }) => id);
    expect(await idsOf({})).toEqual(ids);
    expect(await idsOf({ entityId: 'a' })).toEqual([ids[0], ids[2]]);
    expect(await idsOf({ jobId: 'job-b' })).toEqual([ids[1]]);
    expect(await idsOf({ status: 'cancelled', executionType: 'agent' })).toEqual([ids[0]]);
    expect(await executions.list(scope, {}, { skip: 1, limit: 1 })).toMatchObject({
      total: 3,
      items: [{ id: ids[1] }],
    });
  });

  it('applies job reports under the rules of an update', async () => {
    const scope = newScope();
    const { id } = await executions.start(scope, {
      ...startRequest(newId()),
      jobId: 'job-1',
      triggerMetadata: { by: 'test' },
    });
    await executions.reportJobStatus(scope, id, 'job-1', { status: 'running' }, null);
    await executions.reportJobStatus(scope, id, 'job-1', { status: 'pending' }, null);
    const report = { status: 'failed', duration_ms: 30 * 86_400_000, error_message: 'broke' } as const;
    await executions.reportJobStatus(scope, id, 'job-1', report, null);
    await executions.reportJobStatus(scope, id, 'job-1', report, null);
    const [run] = (await jobs.newestByJobIds(scope, ['job-1'])).get('job-1') ?? [];
    expect(run).toMatchObject({
      execution_id: id,
      status: 'failed',
      duration_ms: 30 * 86_400_000,
      error_message: 'broke',
      trigger_type: 'manual',
      trigger_metadata: { by: 'test' },
    });
    await expect(executions.reportJobStatus(scope, id, 'job-1', { status: 'completed' }, null)).rejects.toMatchObject({
      kind: 'conflict',
    });
    await expect(executions.reportJobStatus(scope, id, 'job-2', report, null)).rejects.toMatchObject({
      kind: 'not_found',
    });
  });

  it('computes durations of more than a month, and 0 for an end before the start', async () => {
    const scope = newScope();
    const startedAt = new Date('2026-01-01T00:00:00Z');
    const durationUntil = async (completed_at: Date): Promise<number | null | undefined> => {
      clock.advance(1);
      const { id } = await executions.start(scope, { ...startRequest(newId()), jobId: 'job-1' });
      await executions.patch(scope, id, { status: 'running', started_at: startedAt }, null);
      expect((await jobs.newestByJobIds(scope, ['job-1'])).get('job-1')?.[0]).toMatchObject({ duration_ms: null });
      await executions.patch(scope, id, { status: 'completed', completed_at }, null);
      return (await jobs.list(scope, 'job-1', { skip: 0, limit: 1 })).items[0]?.duration_ms;
    };
    expect(await durationUntil(new Date('2026-01-31T00:00:00.250Z'))).toBe(30 * 86_400_000 + 250);
    expect(await durationUntil(new Date('9999-12-31T23:59:59Z'))).toBeGreaterThan(2 ** 47);
    expect(await durationUntil(new Date('2025-12-31T23:59:59Z'))).toBe(0);
  });

  it('returns the history and the counters of a job', async () => {
    const scope = newScope();
    const ids: string[] = [];
    for (let index = 0; index < 12; index += 1) {
      clock.advance(1);
      ids.unshift((await executions.start(scope, { ...startRequest(newId()), jobId: 'job-1' })).id);
    }
    await executions.patch(scope, ids[0] ?? '', { status: 'completed' }, null);
    await executions.patch(scope, ids[1] ?? '', { status: 'terminated' }, null);
    await executions.cancel(scope, ids[2] ?? '', null);
    const history = await jobs.newestByJobIds(scope, ['job-1', 'job-none']);
    expect(history.get('job-1')?.map(({ execution_id }) => execution_id)).toEqual(ids.slice(0, 10));
    expect(history.get('job-none')).toEqual([]);
    const counts = await jobs.countsOf(scope, ['job-1', 'job-none']);
    expect(counts.get('job-1')).toEqual({
      total: 12,
      successful: 1,
      failed: 1,
      cancelled: 1,
      lastExecutionId: ids[0],
      lastExecutionAt: clock.now(),
    });
    expect(counts.get('job-none')).toMatchObject({ total: 0, lastExecutionId: null });
    expect((await jobs.list(scope, 'job-1', { skip: 10, limit: 50 })).items.map((run) => run.execution_id)).toEqual(
      ids.slice(10),
    );
  });
});
