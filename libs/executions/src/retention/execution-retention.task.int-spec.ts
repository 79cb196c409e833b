import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@app/kernel';
import { createTestContext, ManualClock, type TestContext } from '@app/testing';
import { ExecutionService } from '../executions/execution.service.js';
import { OpenGateModule } from '../executions/execution-gate.js';
import { ExecutionsHandlersModule } from '../executions.handlers.module.js';
import { JobRunsService } from '../job-runs/job-runs.service.js';
import { ExecutionFileService } from '../files/execution-file.service.js';
import { SessionService } from '../sessions/session.service.js';
import { startRequest } from '../testing/execution-fixtures.js';
import { ExecutionRetentionTask } from './execution-retention.task.js';

const DAY_MS = 86_400_000;
const never = new AbortController().signal;

describe('ExecutionRetentionTask', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let executions: ExecutionService;
  let task: ExecutionRetentionTask;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, ExecutionsHandlersModule], { clock });
    executions = context.get(ExecutionService);
    task = context.get(ExecutionRetentionTask);
  });

  afterAll(() => context.close());

  const countRows = async (table: string, organizationId: string): Promise<number> => {
    const text = `SELECT count(*)::integer AS rows FROM ${table} WHERE organization_id = $1`;
    const [row] = await context.database.sql<{ rows: number }>(text, [organizationId]);
    return row?.rows ?? -1;
  };

  it('deletes executions 90 days after their end with everything that belongs to them, and no open one', async () => {
    const scope = { organizationId: newId() };
    const start = async (): Promise<string> => (await executions.start(scope, startRequest(newId()))).id;
    const [ended, open, late] = [await start(), await start(), await start()];
    await context.get(SessionService).save(scope, ended, { messages: [{ role: 'user', content: 'Hi' }] }, null);
    const file = { name: 'a.txt', content: Buffer.from('a'), content_type: 'text/plain' };
    await context.get(ExecutionFileService).save(scope, ended, file, null);
    for (const table of ['execution_sessions', 'execution_files']) {
      expect(await countRows(table, scope.organizationId)).toBe(1);
    }
    await executions.patch(scope, ended, { status: 'completed' }, null);
    clock.advance(2 * DAY_MS);
    await executions.patch(scope, late, { status: 'failed' }, null);
    clock.advance(89 * DAY_MS);
    await task.run(never);
    await expect(executions.read(scope, ended)).rejects.toThrow('not found');
    expect((await executions.read(scope, open)).status).toBe('pending');
    expect((await executions.read(scope, late)).status).toBe('failed');
    for (const table of [
      ...['execution_sessions', 'execution_messages', 'execution_files'],
      'task_records',
      'execution_records',
    ]) {
      expect([table, await countRows(table, scope.organizationId)]).toEqual([table, 0]);
    }
  });

  it('keeps the counters of a job equal to its executions, over several batches', async () => {
    const scope = { organizationId: newId() };
    const jobId = `job_${newId()}`;
    const runs = context.get(JobRunsService);
    const start = async (): Promise<string> => (await executions.start(scope, { ...startRequest(newId()), jobId })).id;
    for (let index = 0; index < 250; index += 1) {
      await executions.patch(scope, await start(), { status: index % 2 === 0 ? 'completed' : 'failed' }, null);
    }
    clock.advance(91 * DAY_MS);
    const kept = await start();
    await executions.cancel(scope, kept, null);
    await task.run(never);
    expect((await runs.countsOf(scope, [jobId])).get(jobId)).toEqual({
      ...{ total: 1, successful: 0, failed: 0, cancelled: 1 },
      ...{ lastExecutionId: kept, lastExecutionAt: expect.any(Date) },
    });
    expect(await runs.list(scope, jobId, { skip: 0, limit: 10 })).toMatchObject({
      total: 1,
      items: [{ job_id: jobId }],
    });
    clock.advance(91 * DAY_MS);
    await task.run(never);
    expect((await runs.countsOf(scope, [jobId])).get(jobId)).toMatchObject({ total: 0, lastExecutionId: null });
  });

  it('deletes nothing with a retention of 0', async () => {
    const scope = { organizationId: newId() };
    const { id } = await executions.start(scope, startRequest(newId()));
    await executions.cancel(scope, id, null);
    clock.advance(4000 * DAY_MS);
    const config = task['config'] as { executionDays: number };
    const { executionDays } = config;
    config.executionDays = 0;
    await task.run(never);
    config.executionDays = executionDays;
    expect((await executions.read(scope, id)).status).toBe('cancelled');
  });
});
