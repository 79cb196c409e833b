import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, type Scope } from '@app/kernel';
import { createTestContext, ManualClock, statementsOf, type TestContext } from '@app/testing';
import { ExecutionService } from '../executions/execution.service.js';
import { ExecutionAnalyticsService } from '../analytics/execution-analytics.service.js';
import { ExecutionsModule } from '../executions.module.js';
import { TaskRecordService } from './task-record.service.js';
import type { AnalyticsBatch } from './task-record.types.js';
import { startRequest } from '../testing/execution-fixtures.js';
import { OpenGateModule } from '../testing/open-gate.module.js';

const firstPage = { skip: 0, limit: 100 };

describe('TaskRecordService', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let executions: ExecutionService;
  let tasks: TaskRecordService;
  let analytics: ExecutionAnalyticsService;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, ExecutionsModule], { clock });
    executions = context.get(ExecutionService);
    tasks = context.get(TaskRecordService);
    analytics = context.get(ExecutionAnalyticsService);
  });

  afterAll(() => context.close());

  async function newExecution(): Promise<Scope & { readonly id: string }> {
    const scope = { organizationId: newId() };
    const { id } = await executions.create(scope, startRequest(newId()));
    return { ...scope, id };
  }

  it('creates pending records by default', async () => {
    const run = await newExecution();
    const task = await tasks.save(run, run.id, { task_description: 'Think' }, null);
    expect(task).toEqual({
      id: task.id,
      execution_id: run.id,
      task_id: task.id,
      task_number: null,
      task_description: 'Think',
      task_type: null,
      status: 'pending',
      started_at: null,
      completed_at: null,
      duration_ms: null,
      result: null,
      error_message: null,
      metadata: {},
      created_at: clock.now(),
      updated_at: clock.now(),
    });
  });

  it('updates the record of a task that is saved again and keeps absent fields', async () => {
    const run = await newExecution();
    const first = await tasks.save(
      run,
      run.id,
      { task_id: 't1', task_description: 'Think', metadata: { z: 1, a: 2 } },
      null,
    );
    clock.advance(1000);
    const again = await tasks.save(run, run.id, { task_id: 't1', status: 'completed', result: 'Thought' }, null);
    expect(again).toEqual({ ...first, status: 'completed', result: 'Thought', updated_at: clock.now() });
    expect((await tasks.list(run, run.id, firstPage)).total).toBe(1);
  });

  it('updates a record by its id or by the task id of the worker', async () => {
    const run = await newExecution();
    const { id } = await tasks.save(run, run.id, { task_id: 't1', result: 'old' }, null);
    expect(await tasks.update(run, 't1', { status: 'running' }, null)).toMatchObject({
      id,
      status: 'running',
      result: 'old',
    });
    expect(await tasks.update(run, id, { result: null }, null)).toMatchObject({ status: 'running', result: null });
    await expect(tasks.update({ organizationId: newId() }, id, {}, null)).rejects.toMatchObject({
      code: 'task_not_found',
    });
  });

  it('lists records by task number', async () => {
    const run = await newExecution();
    for (const [task_id, task_number] of [
      ['c', null],
      ['b', 2],
      ['a', 1],
    ] as const) {
      await tasks.save(run, run.id, { task_id, task_number }, null);
    }
    const listed = await tasks.list(run, run.id, firstPage);
    expect(listed.items.map(({ task_id }) => task_id)).toEqual(['a', 'b', 'c']);
  });

  it('rejects records of unknown executions and writers with a stale token', async () => {
    const run = await newExecution();
    const elsewhere = { organizationId: newId() };
    await expect(tasks.save(elsewhere, run.id, {}, null)).rejects.toMatchObject({ code: 'execution_not_found' });
    for (const page of [firstPage, { ...firstPage, total: false }])
      await expect(tasks.list(elsewhere, run.id, page)).rejects.toMatchObject({ code: 'execution_not_found' });
    await expect(tasks.save(run, run.id, {}, 'stale')).rejects.toMatchObject({ code: 'lease_lost' });
    expect((await tasks.list(run, run.id, firstPage)).total).toBe(0);
  });

  it('merges records of one task in a batch, and keeps absent fields of a stored one', async () => {
    const run = await newExecution();
    const started_at = new Date('2026-01-02T03:04:05.678Z');
    const metadata = { text: 'a "quoted", {braced} \\ text', n: 1 };
    const stored = await tasks.save(run, run.id, { task_id: 't1', task_number: 1, started_at, metadata }, null);
    clock.advance(1000);
    const batch = [
      { task_id: 't1', status: 'running', result: 'first' },
      { task_id: 't2', duration_ms: 0.5, error_message: '' },
      { task_id: 't1', status: 'completed', result: null },
    ];
    await tasks.saveBatch(run, run.id, { tasks: batch, tool_calls: [], turns: [] }, null);
    const { items } = await tasks.list(run, run.id, firstPage);
    expect(items).toMatchObject([
      { ...stored, status: 'completed', result: 'first', updated_at: clock.now() },
      { task_id: 't2', status: 'pending', duration_ms: 0.5, error_message: '', started_at: null, metadata: {} },
    ]);
  });

  it('saves a batch of any size with one statement per kind', async () => {
    const run = await newExecution();
    const batchOf = (size: number): AnalyticsBatch => ({
      tasks: Array.from({ length: size }, (_, index) => ({ task_id: `t${index}` })),
      tool_calls: Array.from({ length: size }, (_, index) => ({ id: index })),
      turns: Array.from({ length: size }, (_, index) => ({ id: index })),
    });
    const small = await statementsOf(() => tasks.saveBatch(run, run.id, batchOf(1), null));
    const large = await statementsOf(() => tasks.saveBatch(run, run.id, batchOf(2000), null));
    expect(large).toEqual(small);
    expect(large.filter((statement) => /INSERT|save/.test(statement))).toHaveLength(3);
    expect(await analytics.summary(run, {})).toMatchObject({
      total_tasks: 2000,
      total_tool_calls: 2000,
      total_turns: 2000,
    });
  });

  it('saves batches of tasks, tool calls and turns idempotently', async () => {
    const run = await newExecution();
    const batch = {
      tasks: [{ task_id: 't1', status: 'completed' }, { task_id: 't2' }],
      tool_calls: [{ tool_call_id: 'c1', tool_name: 'search' }],
      turns: [{ turn_number: 1 }, { turn_number: 2 }],
    };
    await tasks.saveBatch(run, run.id, batch, null);
    await tasks.saveBatch(run, run.id, batch, null);
    expect(await analytics.summary(run, {})).toMatchObject({
      total_executions: 1,
      executions_by_status: { pending: 1 },
      total_tasks: 2,
      tasks_by_status: { completed: 1, pending: 1 },
      total_tool_calls: 1,
      total_turns: 2,
    });
    expect(await analytics.summary(run, { executionId: 'another' })).toMatchObject({
      total_executions: 0,
      total_tasks: 0,
    });
    expect(await analytics.summary(run, { to: clock.now() })).toMatchObject({ total_executions: 0, total_turns: 0 });
  });
});
