import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import { EnvironmentProvisioner } from '@app/environments';
import { ExecutionService, ExecutionsHandlersModule } from '@app/executions';
import { OpenGateModule } from '@app/executions/testing';
import type { Caller } from '@app/kernel';
import { TeamsModule } from '@app/teams';
import { createTestContext, eventually, ManualClock, type TestContext } from '@app/testing';
import { SchedulerRegistry } from '@nestjs/schedule';
import { TaskService } from './task.service.js';
import { TasksModule } from './tasks.module.js';

const clock = new ManualClock();
let context: TestContext;
let tasks: TaskService;
let executions: ExecutionService;

beforeAll(async () => {
  context = await createTestContext(
    [OpenGateModule, AgentsModule, TeamsModule, TasksModule, ExecutionsHandlersModule],
    { clock },
  );
  tasks = context.get(TaskService);
  executions = context.get(ExecutionService);
});

afterAll(() => context.close());

function callerIn(organizationId: string): Caller {
  const user = { userId: 'user-1', userName: 'Ada', userEmail: null, userAvatar: null };
  return {
    organizationId,
    keyId: 'key_1',
    keyName: 'key',
    scopes: ['admin'],
    ...user,
    expiresAt: null,
    grantsUntil: null,
    rateLimits: null,
  };
}

/** Creates an organization with one agent. */
async function newOrganization(name: string): Promise<{ caller: Caller; agent_id: string }> {
  const caller = callerIn(name);
  await context.get(EnvironmentProvisioner).provisionDefaults(caller);
  const agent = await context.get(AgentService).create(caller, { name: 'Writer' });
  return { caller, agent_id: agent.id };
}

async function countRows(table: 'tasks' | 'executions', scope: Caller): Promise<number> {
  const text = `SELECT count(*)::integer AS rows FROM ${table} WHERE organization_id = $1`;
  const [row] = await context.database.sql<{ rows: number }>(text, [scope.organizationId]);
  return row?.rows ?? 0;
}

describe('TaskService', () => {
  it('starts an execution of the agent for the user of the caller', async () => {
    const { caller, agent_id } = await newOrganization('started');
    const task = await tasks.start(caller, { name: 'Report', agent_id, parameters: { week: 46 } });
    expect(await executions.read(caller, task.execution_id)).toMatchObject({
      execution_type: 'agent',
      entity_id: agent_id,
      user_id: 'user-1',
      prompt: 'Report\n\nParameters:\n{"week":46}',
    });
  });

  it('returns the status and the result of the execution', async () => {
    const { caller, agent_id } = await newOrganization('followed');
    const { id } = await tasks.start(caller, { name: 'Report', agent_id, parameters: {} });
    await executions.patch(caller, id, { status: 'completed', response: 'Done.', execution_metadata: {} }, null);
    const expected = { id, name: 'Report', status: 'completed', result: 'Done.', error: null };
    expect(await tasks.read(caller, id)).toMatchObject(expected);
    expect((await tasks.list(caller, { skip: 0, limit: 10 })).items).toEqual([expect.objectContaining(expected)]);
  });

  it('rejects reading an execution that was not started as a task', async () => {
    const { caller } = await newOrganization('others');
    const origin = { entityId: null, entityName: null, prompt: 'x', user: caller, triggerType: 'manual' };
    const { id } = await executions.create(caller, { ...origin, executionType: 'agent' });
    await expect(tasks.read(caller, id)).rejects.toMatchObject({ code: 'task_not_found' });
  });

  it('starts no execution if the task cannot be inserted', async () => {
    const { caller, agent_id } = await newOrganization('refused');
    await context.database.sql(`ALTER TABLE tasks ADD CONSTRAINT ck_tasks_test CHECK (name <> 'unstorable')`);
    const refused = tasks.start(caller, { name: 'unstorable', agent_id, parameters: {} });
    await expect(refused).rejects.toThrow('ck_tasks_test');
    expect([await countRows('executions', caller), await countRows('tasks', caller)]).toEqual([0, 0]);
  });

  it('lists tasks newest first, by page, with the total', async () => {
    const { caller, agent_id } = await newOrganization('listed');
    for (const name of ['one', 'two', 'three']) {
      await tasks.start(caller, { name, agent_id, parameters: {} });
      clock.advance(1000);
    }
    const { items, total } = await tasks.list(caller, { skip: 1, limit: 5 });
    expect({ names: items.map(({ name }) => name), total }).toEqual({ names: ['two', 'one'], total: 3 });
  });

  it('deletes a task with its execution 90 days after the end, and no longer counts it', async () => {
    const { caller, agent_id } = await newOrganization('ended');
    const start = async (name: string): Promise<string> =>
      (await tasks.start(caller, { name, agent_id, parameters: {} })).id;
    const ended = await start('ended');
    await executions.cancel(caller, ended, null);
    const open = await start('open');
    clock.advance(91 * 86_400_000);
    // A tick does nothing while the task rests after the tick of its own schedule.
    await eventually(async () => {
      await context.get(SchedulerRegistry).getCronJob('executions.prune').fireOnTick();
      await expect(tasks.read(caller, ended)).rejects.toMatchObject({ code: 'task_not_found' });
    });
    expect(await tasks.list(caller, { skip: 0, limit: 10 })).toMatchObject({ items: [{ id: open }], total: 1 });
  });

  it('rejects access from another organization', async () => {
    const ours = await newOrganization('ours');
    const { caller: stranger } = await newOrganization('theirs');
    const { id } = await tasks.start(ours.caller, { name: 'Report', agent_id: ours.agent_id, parameters: {} });
    await expect(tasks.read(stranger, id)).rejects.toMatchObject({ code: 'task_not_found' });
    expect(await tasks.list(stranger, { skip: 0, limit: 5 })).toEqual({ items: [], total: 0 });
    const foreign = tasks.start(stranger, { name: 'x', agent_id: ours.agent_id, parameters: {} });
    await expect(foreign).rejects.toMatchObject({ code: 'agent_not_found' });
  });
});
