import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DatabaseClock } from '@app/database';
import { newId, type Scope } from '@app/kernel';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { ExecutionService } from '../executions/execution.service.js';
import { OpenGateModule } from '../testing/open-gate.module.js';
import { ExecutionsHandlersModule } from '../executions.handlers.module.js';
import { ExecutionFileService } from '../files/execution-file.service.js';
import { JobRunsService } from '../job-runs/job-runs.service.js';
import { SessionService } from '../conversations/session.service.js';
import { ExecutionStepService } from '../steps/execution-step.service.js';
import { TaskRecordService } from '../task-records/task-record.service.js';
import { startRequest } from '../testing/execution-fixtures.js';
import { ExecutionRetentionRepository } from './execution-retention.repository.js';
import { ExecutionRetentionTask } from './execution-retention.task.js';

const DAY_MS = 86_400_000;

/** Tables whose rows name an execution but have their own retention, including a partition of one of them. */
const KEPT_LONGER = [
  ...['job_instants', 'policy_decisions', 'policy_decisions_default', 'traces', 'webhook_deliveries'],
  // Copies in a fork are kept as long as the fork.
  'user_session_messages',
];
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

  /** Returns the tables whose rows must be deleted with their execution. */
  async function tablesOfExecutions(): Promise<string[]> {
    const rows = await context.database.sql<{ table_name: string }>(
      `SELECT table_name FROM information_schema.columns
       WHERE table_schema = current_schema() AND column_name = 'execution_id' ORDER BY 1`,
    );
    return rows.map(({ table_name: name }) => name).filter((name) => !KEPT_LONGER.includes(name));
  }

  /** Stores at least one row in each of these tables, through the services that write them. */
  async function fill(scope: Scope, id: string): Promise<void> {
    const caller = testCaller(scope);
    await context.get(SessionService).save(scope, id, { messages: [{ role: 'user', content: 'Hi' }] }, null);
    await context.get(SessionService).send(caller, id, { message: 'More' }, null);
    await context.get(TaskRecordService).save(scope, id, { task_id: 't' }, null);
    const batch = { tasks: [], tool_calls: [{ id: 'c' }], turns: [{ id: 'n' }] };
    await context.get(TaskRecordService).saveBatch(scope, id, batch, null);
    const at = clock.now();
    const report = { attempt: 1, output: null, error_message: null, started_at: at, completed_at: at, usage: {} };
    await context.get(ExecutionStepService).save(scope, id, [{ name: 'a', status: 'completed', ...report }], null);
    const file = { name: 'out.txt', content: Buffer.from('Hi'), content_type: 'text/plain' };
    await context.get(ExecutionFileService).save(scope, id, file, null);
    // Requests of tasks belong to libs/domains/tasks, which depends on this lib.
    await context.database.sql(
      `INSERT INTO tasks (organization_id, execution_id, name, agent_id, parameters, created_at)
       VALUES ($1, $2, 'task', 'agent-1', '{}', now())`,
      [scope.organizationId, id],
    );
  }

  it('deletes executions 90 days after their end with everything that belongs to them, but none that has not ended', async () => {
    const scope = { organizationId: newId() };
    const definition = { version: 1, steps: [{ name: 'a', type: 'prompt', entity_id: null }], params: {} };
    const start = async (): Promise<string> =>
      (await executions.start(scope, { ...startRequest(newId()), definition })).id;
    const [ended, open, late] = [await start(), await start(), await start()];
    for (const id of [ended, open, late]) await fill(scope, id);
    const tables = await tablesOfExecutions();
    const rowsOf = async (): Promise<readonly (readonly [string, number])[]> =>
      Promise.all(tables.map(async (table) => [table, await countRows(table, scope.organizationId)] as const));
    const before = await rowsOf();
    await executions.patch(scope, ended, { status: 'completed' }, null);
    clock.advance(2 * DAY_MS);
    await executions.patch(scope, late, { status: 'failed' }, null);
    clock.advance(89 * DAY_MS);
    await task.run(never);
    await expect(executions.read(scope, ended)).rejects.toThrow('not found');
    expect((await executions.read(scope, open)).status).toBe('pending');
    expect((await executions.read(scope, late)).status).toBe('failed');
    expect(before.filter(([, rows]) => rows === 0)).toEqual([]);
    // In each table, the rows of two of the three executions remain; the ledger also has the entry about the end of one
    // of them.
    const ends = (table: string): number => (table === 'execution_transitions' ? 1 : 0);
    expect(await rowsOf()).toEqual(before.map(([table, rows]) => [table, (rows / 3) * 2 + ends(table)]));
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

  it('deletes sessions with many messages in several batches', async () => {
    const scope = { organizationId: newId() };
    const repository = context.get(ExecutionRetentionRepository);
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const { id } = await executions.start(scope, startRequest(newId()));
      const messages = Array.from({ length: 6000 }, () => ({}));
      await context.get(SessionService).save(scope, id, { messages }, null);
      await executions.cancel(scope, id, null);
      clock.advance(1000);
      ids.push(id);
    }
    clock.advance(91 * DAY_MS);
    expect(await repository.prune(new Date(clock.now().getTime() - 90 * DAY_MS), 200)).toEqual({
      deleted: 2,
      more: true,
    });
    expect(await countRows('session_messages', scope.organizationId)).toBe(6000);
    expect((await executions.read(scope, ids[2] ?? '')).status).toBe('cancelled');
    await task.run(never);
    expect(await countRows('session_messages', scope.organizationId)).toBe(0);
    expect(await countRows('executions', scope.organizationId)).toBe(0);
  });

  it.each([3, -3])('compares with the time of the database on a host whose clock is off by %i hours', async (hours) => {
    const host = new ManualClock(new Date(Date.now() + hours * 3_600_000));
    const offClock = new DatabaseClock(context.database, host);
    await offClock.sync();
    const process = await createTestContext([OpenGateModule, ExecutionsHandlersModule], {
      clock: offClock,
      shareWith: context,
    });
    const scope = { organizationId: newId() };
    const endedBefore = async (age: string): Promise<string> => {
      const { id } = await process.get(ExecutionService).start(scope, startRequest(newId()));
      await process.get(ExecutionService).cancel(scope, id, null);
      await context.database.sql(
        `UPDATE executions SET created_at = at, completed_at = at, updated_at = at
         FROM (SELECT now() - $2::interval AS at) past WHERE id = $1`,
        [id, age],
      );
      return id;
    };
    const [kept, old] = [await endedBefore('89 days 23 hours'), await endedBefore('90 days 1 hour')];
    await process.get(ExecutionRetentionTask).run(never);
    expect((await executions.read(scope, kept)).status).toBe('cancelled');
    await expect(executions.read(scope, old)).rejects.toThrow('not found');
    await process.close();
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
