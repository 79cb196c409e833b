import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, type Scope } from '@app/kernel';
import { createTestContext, ManualClock, type TestContext } from '@app/testing';
import { ExecutionService } from '../executions/execution.service.js';
import { ExecutionsModule } from '../executions.module.js';
import { TaskRecordService } from './task-record.service.js';
import { startOf } from '../testing/start-of.js';
import { OpenGateModule } from '../executions/open-gate.module.js';

const everything = { skip: 0, limit: 100 };

describe('task records', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let executions: ExecutionService;
  let tasks: TaskRecordService;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, ExecutionsModule], { clock });
    executions = context.get(ExecutionService);
    tasks = context.get(TaskRecordService);
  });

  afterAll(() => context.close());

  async function newExecution(): Promise<Scope & { readonly id: string }> {
    const scope = { organizationId: newId() };
    const { id } = await executions.create(scope, startOf(newId()));
    return { ...scope, id };
  }

  it('are pending unless their worker says otherwise', async () => {
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

  it('are updated when the same task is told again: what is not given stays', async () => {
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
    expect((await tasks.list(run, run.id, everything)).total).toBe(1);
  });

  it('are updated by their id or by the worker’s task id', async () => {
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

  it('are listed by number', async () => {
    const run = await newExecution();
    for (const [task_id, task_number] of [
      ['c', null],
      ['b', 2],
      ['a', 1],
    ] as const) {
      await tasks.save(run, run.id, { task_id, task_number }, null);
    }
    const listed = await tasks.list(run, run.id, everything);
    expect(listed.items.map(({ task_id }) => task_id)).toEqual(['a', 'b', 'c']);
  });

  it('need an execution, and a lease that is not lost', async () => {
    const run = await newExecution();
    const elsewhere = { organizationId: newId() };
    await expect(tasks.save(elsewhere, run.id, {}, null)).rejects.toMatchObject({ code: 'execution_not_found' });
    await expect(tasks.list(elsewhere, run.id, everything)).rejects.toMatchObject({ code: 'execution_not_found' });
    await expect(tasks.save(run, run.id, {}, 'stale')).rejects.toMatchObject({ code: 'lease_lost' });
    expect((await tasks.list(run, run.id, everything)).total).toBe(0);
  });

  it('come in batches with tool calls and turns, and the same batch again changes no count', async () => {
    const run = await newExecution();
    const batch = {
      tasks: [{ task_id: 't1', status: 'completed' }, { task_id: 't2' }],
      tool_calls: [{ tool_call_id: 'c1', tool_name: 'search' }],
      turns: [{ turn_number: 1 }, { turn_number: 2 }],
    };
    await tasks.saveBatch(run, run.id, batch, null);
    await tasks.saveBatch(run, run.id, batch, null);
    expect(await tasks.summary(run, {})).toEqual({
      total_executions: 1,
      executions_by_status: { pending: 1 },
      total_tasks: 2,
      tasks_by_status: { completed: 1, pending: 1 },
      total_tool_calls: 1,
      total_turns: 2,
    });
    expect(await tasks.summary(run, { executionId: 'another' })).toMatchObject({ total_executions: 0, total_tasks: 0 });
    expect(await tasks.summary(run, { to: clock.now() })).toMatchObject({ total_executions: 0, total_turns: 0 });
  });
});
