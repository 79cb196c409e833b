import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import { EnvironmentProvisioner, EnvironmentService, WorkerQueueService, WorkerService } from '@app/environments';
import { ExecutionService, type Execution } from '@app/executions';
import { OpenGateModule } from '@app/executions/testing';
import type { Caller } from '@app/kernel';
import { IntegrationService } from '@app/resources';
import { SkillAssociationService, SkillService } from '@app/skills';
import { TeamService, TeamsModule } from '@app/teams';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { RequestedRunService } from './requested-run.service.js';
import { RequestedRunsModule } from './requested-runs.module.js';
import type { RunRequest } from '../run.types.js';

describe('RequestedRunService', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let agents: AgentService;
  let teams: TeamService;
  let runs: RequestedRunService;
  let environments: EnvironmentService;
  let queues: WorkerQueueService;
  let executions: ExecutionService;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, AgentsModule, TeamsModule, RequestedRunsModule], { clock });
    agents = context.get(AgentService);
    teams = context.get(TeamService);
    runs = context.get(RequestedRunService);
    environments = context.get(EnvironmentService);
    queues = context.get(WorkerQueueService);
    executions = context.get(ExecutionService);
  });

  afterAll(() => context.close());

  async function newOrganization(): Promise<Caller> {
    const caller = testCaller();
    await context.get(EnvironmentProvisioner).provisionDefaults(caller);
    return caller;
  }

  const runAgent = async (caller: Caller, id: string, request: RunRequest): Promise<Execution> =>
    (await runs.start(caller, { kind: 'agent', id }, request)).execution;

  const runTeam = async (caller: Caller, id: string, request: RunRequest): Promise<Execution> =>
    (await runs.start(caller, { kind: 'team', id }, request)).execution;

  it('starts an execution of an agent for the user of the caller in the default queue', async () => {
    const caller = await newOrganization();
    const agent = await agents.create(caller, { name: 'writer' });
    const started = await runAgent(caller, agent.id, {
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

  it('uses the requested queue, by id or name', async () => {
    const caller = await newOrganization();
    const agent = await agents.create(caller, { name: 'writer' });
    const queue = await queues.create(caller, 'default', { name: 'gpu' });
    for (const worker_queue_id of [queue.id, 'gpu']) {
      const { worker_queue_id: chosen } = await runAgent(caller, agent.id, { prompt: 'Go', worker_queue_id });
      expect(chosen).toBe(queue.id);
    }
  });

  it('balances runs over the queues of the environments of the agent by waiting executions', async () => {
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
      chosen.push((await runAgent(caller, agent.id, { prompt: 'Go' })).worker_queue_id);
    }
    expect(chosen).toEqual([...ids, ...ids]);
  });

  it('prefers workers with the skills of the environments of the agent, which it names by id or name', async () => {
    const caller = await newOrganization();
    const own = await environments.create(caller, { name: 'own' });
    const skill = await context.get(SkillService).create(caller, { name: 'a shell', type: 'shell' });
    await context.get(SkillAssociationService).add(caller, 'environment', 'own', { skill_id: skill.id });
    const able = await queues.create(caller, 'own', { name: 'able' });
    const other = await queues.create(caller, 'own', { name: 'other' });
    for (const [queue, skills] of [
      [able, ['shell']],
      [other, []],
      [other, []],
    ] as const) {
      await context.get(WorkerService).start(caller, queue.id, { skills });
    }
    for (const word of [own.id, 'own']) {
      const agent = await agents.create(caller, { name: 'writer', environment_ids: [word] });
      for (let run = 0; run < 2; run += 1) {
        const { worker_queue_id: chosen } = await runAgent(caller, agent.id, { prompt: 'Go' });
        expect([word, chosen]).toEqual([word, able.id]);
      }
    }
  });

  it('rejects commands in an execution environment from callers without the scope agents:write', async () => {
    const caller = await newOrganization();
    const agent = await agents.create(caller, { name: 'writer' });
    const request = { prompt: 'x', execution_environment: { mcp_servers: { shell: { command: '/bin/sh' } } } };
    const starter: Caller = { ...caller, scopes: ['tasks:execute'] };
    await expect(runAgent(starter, agent.id, request)).rejects.toMatchObject({ code: 'insufficient_scope' });
    await expect(runAgent(caller, agent.id, request)).resolves.toMatchObject({ status: 'pending' });
  });

  it('accepts new variables from callers without agents:write, but no variables that a layer sets', async () => {
    const caller = await newOrganization();
    const starter: Caller = { ...caller, scopes: ['tasks:execute'] };
    const env = (...names: string[]) => ({
      execution_environment: { env_vars: Object.fromEntries(names.map((name) => [name, 'x'])) },
    });
    await environments.update(caller, 'default', env('OF_ENVIRONMENT'));
    const team = await teams.create(caller, { name: 'crew', ...env('OF_TEAM') });
    const mail = { name: 'mail', type: 't', configuration: env('OF_INTEGRATION').execution_environment };
    const { id: integration } = await context.get(IntegrationService).create(caller, mail);
    const own = { execution_environment: { ...env('OF_AGENT').execution_environment, integration_ids: [integration] } };
    const agent = await agents.create(caller, { name: 'writer', team_id: team.id, ...own });
    for (const name of ['OF_ENVIRONMENT', 'OF_TEAM', 'OF_AGENT', 'OF_INTEGRATION']) {
      const request = { prompt: 'Go', ...env('NEW', name) };
      const refused = { code: 'insufficient_scope', message: expect.stringContaining(`sets the variable ${name}`) };
      await expect(runAgent(starter, agent.id, request)).rejects.toMatchObject(refused);
      await expect(runAgent(caller, agent.id, request)).resolves.toMatchObject({ status: 'pending' });
    }
    await expect(runTeam(starter, team.id, { prompt: 'Go', ...env('OF_TEAM') })).rejects.toThrow('OF_TEAM');
    await expect(runTeam(starter, team.id, { prompt: 'Go', ...env('OF_AGENT') })).resolves.toBeDefined();
    await expect(runAgent(starter, agent.id, { prompt: 'Go', ...env('NEW') })).resolves.toBeDefined();
  });

  it('sets `last_active_at` of the agent and keeps `updated_at`', async () => {
    const caller = await newOrganization();
    const agent = await agents.create(caller, { name: 'writer' });
    clock.advance(5000);
    await runAgent(caller, agent.id, { prompt: 'Go' });
    expect(await agents.read(caller, agent.id)).toEqual({ ...agent, last_active_at: clock.now() });
  });

  it('rejects agents and queues of another organization', async () => {
    const caller = await newOrganization();
    const stranger = await newOrganization();
    const agent = await agents.create(caller, { name: 'writer' });
    const theirs = await queues.create(stranger, 'default', { name: 'theirs' });
    await expect(runAgent(stranger, agent.id, { prompt: 'Go' })).rejects.toThrow('Agent not found');
    const elsewhere = runAgent(caller, agent.id, { prompt: 'Go', worker_queue_id: theirs.id });
    await expect(elsewhere).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('starts an execution of a team for the user of the caller in the default queue', async () => {
    const caller = await newOrganization();
    const team = await teams.create(caller, { name: 'crew' });
    const started = await runTeam(caller, team.id, {
      prompt: 'Write',
      system_prompt: 'Be brief',
      user_metadata: { ticket: 7 },
    });
    const { items } = await queues.listIn(caller, 'default', { skip: 0, limit: 1 });
    expect(await executions.read(caller, started.id)).toMatchObject({
      status: 'pending',
      execution_type: 'team',
      entity_id: team.id,
      entity_name: 'crew',
      prompt: 'Write',
      system_prompt: 'Be brief',
      user_id: caller.userId,
      trigger_type: 'api',
      execution_metadata: { user_metadata: { ticket: 7 } },
      worker_queue_id: items[0]?.id,
    });
  });

  it('runs a team in the requested queue, or in the environments of its members by default', async () => {
    const caller = await newOrganization();
    const gpu = await queues.create(caller, 'default', { name: 'gpu' });
    const lab = await environments.create(caller, { name: 'lab' });
    const bench = await queues.create(caller, 'lab', { name: 'bench' });
    const team = await teams.create(caller, { name: 'crew' });
    const member = { name: 'a', team_id: team.id, environment_ids: [lab.id] };
    await agents.create(caller, member);
    const chosen = await runTeam(caller, team.id, { prompt: 'Go' });
    const named = await runTeam(caller, team.id, { prompt: 'Go', worker_queue_id: 'gpu' });
    expect([chosen.worker_queue_id, named.worker_queue_id]).toEqual([bench.id, gpu.id]);
  });

  it('rejects a kind without a source', async () => {
    const workflow = runs.start(await newOrganization(), { kind: 'workflow', id: 'w' }, { prompt: 'Go' });
    await expect(workflow).rejects.toMatchObject({ code: 'workflow_not_found' });
  });

  it('rejects teams of another organization', async () => {
    const team = await teams.create(await newOrganization(), { name: 'crew' });
    const stranger = await newOrganization();
    await expect(runTeam(stranger, team.id, { prompt: 'Go' })).rejects.toThrow('Team not found');
  });
});
