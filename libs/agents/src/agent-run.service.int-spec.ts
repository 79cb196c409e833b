import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EnvironmentService, WorkerQueueService, WorkerService } from '@app/environments';
import { ExecutionService, OpenGateModule } from '@app/executions';
import type { Caller } from '@app/kernel';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { AgentRunService } from './agent-run.service.js';
import { AgentService } from './agent.service.js';
import { AgentsModule } from './agents.module.js';

describe('running an agent', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let agents: AgentService;
  let runs: AgentRunService;
  let environments: EnvironmentService;
  let queues: WorkerQueueService;
  let executions: ExecutionService;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, AgentsModule], { clock });
    agents = context.get(AgentService);
    runs = context.get(AgentRunService);
    environments = context.get(EnvironmentService);
    queues = context.get(WorkerQueueService);
    executions = context.get(ExecutionService);
  });

  afterAll(() => context.close());

  async function newOrganization(): Promise<Caller> {
    const caller = testCaller();
    await environments.provisionDefaults(caller);
    return caller;
  }

  it('makes a pending execution of the agent for the person behind the key, in the default queue', async () => {
    const caller = await newOrganization();
    const agent = await agents.create(caller, { name: 'writer' });
    const started = await runs.execute(caller, agent.id, {
      prompt: 'Write',
      system_prompt: 'Be brief',
      user_metadata: { ticket: 7 },
      execution_environment: { env_vars: { A: '1' } },
    });
    const { items } = await queues.listIn(caller, 'default', { skip: 0, limit: 1 });
    expect(await executions.read(caller, started.id)).toMatchObject({
      status: 'pending',
      execution_type: 'agent',
      entity_id: agent.id,
      entity_name: 'writer',
      prompt: 'Write',
      system_prompt: 'Be brief',
      user_id: caller.userId,
      user_name: caller.userName,
      trigger_type: 'api',
      execution_metadata: { user_metadata: { ticket: 7 } },
      worker_queue_id: items[0]?.id,
    });
  });

  it('goes to the queue that is named, by id or name', async () => {
    const caller = await newOrganization();
    const agent = await agents.create(caller, { name: 'writer' });
    const queue = await queues.create(caller, 'default', { name: 'gpu' });
    for (const worker_queue_id of [queue.id, 'gpu']) {
      const { worker_queue_id: chosen } = await runs.execute(caller, agent.id, { prompt: 'Go', worker_queue_id });
      expect(chosen).toBe(queue.id);
    }
  });

  it('spreads over the queues of the agent’s environments by the work that waits in them', async () => {
    const caller = await newOrganization();
    const own = await environments.create(caller, { name: 'own' });
    const ids = [];
    for (const name of ['one', 'two', 'three']) {
      const { id } = await queues.create(caller, 'own', { name });
      await context.get(WorkerService).start(caller, id, {});
      ids.push(id);
    }
    const agent = await agents.create(caller, { name: 'writer', environment_ids: [own.id] });
    const chosen = [];
    for (let run = 0; run < 6; run += 1) {
      chosen.push((await runs.execute(caller, agent.id, { prompt: 'Go' })).worker_queue_id);
    }
    expect(chosen).toEqual([...ids, ...ids]);
  });

  it('brings no commands for those who may not write agents', async () => {
    const caller = await newOrganization();
    const agent = await agents.create(caller, { name: 'writer' });
    const request = { prompt: 'x', execution_environment: { mcp_servers: { shell: { command: '/bin/sh' } } } };
    const starter: Caller = { ...caller, scopes: ['tasks:execute'] };
    await expect(runs.execute(starter, agent.id, request)).rejects.toMatchObject({ code: 'insufficient_scope' });
    await expect(runs.execute(caller, agent.id, request)).resolves.toMatchObject({ status: 'pending' });
  });

  it('notes when the agent was last asked, without counting it as a change', async () => {
    const caller = await newOrganization();
    const agent = await agents.create(caller, { name: 'writer' });
    clock.advance(5000);
    await runs.execute(caller, agent.id, { prompt: 'Go' });
    expect(await agents.read(caller, agent.id)).toEqual({ ...agent, last_active_at: clock.now() });
  });

  it('is refused for agents and queues of another organisation', async () => {
    const caller = await newOrganization();
    const stranger = await newOrganization();
    const agent = await agents.create(caller, { name: 'writer' });
    const theirs = await queues.create(stranger, 'default', { name: 'theirs' });
    await expect(runs.execute(stranger, agent.id, { prompt: 'Go' })).rejects.toThrow('Agent not found');
    const elsewhere = runs.execute(caller, agent.id, { prompt: 'Go', worker_queue_id: theirs.id });
    await expect(elsewhere).rejects.toMatchObject({ kind: 'not_found' });
  });
});
