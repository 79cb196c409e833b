import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AgentService, AgentsModule, type CreateAgent } from '@app/agents';
import { loadConfig, ModelGatewayConfig } from '@app/config';
import { EnvironmentService, EnvironmentsModule, WorkerQueueService } from '@app/environments';
import {
  ExecutionService,
  ExecutionsModule,
  LeaseService,
  OpenGateModule,
  type ExecutionOrigin,
  type LeasedExecution,
} from '@app/executions';
import { newId, type Caller } from '@app/kernel';
import { ModelService, ModelsModule } from '@app/models';
import { TeamService, TeamsModule } from '@app/teams';
import { createTestContext, testCaller, type TestContext } from '@app/testing';
import { RunAssembler } from './run-assembler.js';
import type { AssembledRun } from './run.types.js';

describe('what a worker is given for a run', () => {
  let context: TestContext;
  let caller: Caller;
  let queueId: string;
  let environmentId: string;

  beforeAll(async () => {
    const domains = [AgentsModule, TeamsModule, EnvironmentsModule, ExecutionsModule, ModelsModule];
    context = await createTestContext([OpenGateModule, ...domains]);
  });

  beforeEach(async () => {
    caller = testCaller();
    await context.get(EnvironmentService).provisionDefaults(caller);
    const [queue] = (await context.get(WorkerQueueService).list(caller, {}, { skip: 0, limit: 1 })).items;
    if (queue === undefined) throw new Error('No queue');
    ({ id: queueId, environment_id: environmentId } = queue);
  });

  afterAll(() => context.close());

  async function leaseOf(origin: Partial<ExecutionOrigin>): Promise<LeasedExecution> {
    const user = { userId: 'user-1', userName: 'Ada', userEmail: null, userAvatar: null };
    const what = { executionType: 'agent', entityId: null, entityName: null, prompt: 'Say hello' } as const;
    const place = { workerQueueId: queueId, environmentId };
    await context.get(ExecutionService).start(caller, { ...what, user, triggerType: 'manual', place, ...origin });
    const poll = { workerId: newId(), queueId, max: 1, waitMs: 30_000, leaseMs: 60_000, confirmMs: 60_000 };
    const [lease] = await context.get(LeaseService).poll(caller, poll);
    if (lease === undefined) throw new Error('No lease');
    return lease;
  }

  function assembler(defaultModel?: string): RunAssembler {
    return new RunAssembler(
      context.get(AgentService),
      context.get(TeamService),
      context.get(EnvironmentService),
      context.get(ModelService),
      loadConfig(ModelGatewayConfig, defaultModel === undefined ? {} : { DEFAULT_MODEL: defaultModel }),
    );
  }

  async function assemble(lease: LeasedExecution, by = assembler()): Promise<AssembledRun> {
    const run = await by.assemble(caller, lease, environmentId);
    if ('missing' in run) throw new Error(run.missing);
    return run;
  }

  const newAgent = async (agent: Partial<CreateAgent> = {}): Promise<string> =>
    (await context.get(AgentService).create(caller, { name: 'Greeter', ...agent })).id;

  const newTeam = async (configuration = {}, variables = {}): Promise<string> => {
    const execution_environment = { env_vars: variables };
    return (await context.get(TeamService).create(caller, { name: 'Crew', configuration, execution_environment })).id;
  };

  describe('as its model', () => {
    const newModel = async (value: string, recommended = false): Promise<string> =>
      (await context.get(ModelService).create(caller, { value, label: value, provider: 'ours', recommended })).id;

    async function modelOf(agent: Partial<CreateAgent>, defaultModel?: string): Promise<AssembledRun['model']> {
      return (await assemble(await leaseOf({ entityId: await newAgent(agent) }), assembler(defaultModel))).model;
    }

    it("is the agent's own, before that of its settings, before the configured default, before the stored one", async () => {
      const own = await newModel('own');
      for (const value of ['settings', 'configured']) await newModel(value);
      await newModel('stored', true);
      const llm_config = { model: 'settings' };
      expect(await modelOf({ model_id: own, llm_config }, 'configured')).toMatchObject({ id: own, value: 'own' });
      expect(await modelOf({ model_id: 'own', llm_config }, 'configured')).toMatchObject({ id: own, value: 'own' });
      expect(await modelOf({ llm_config }, 'configured')).toMatchObject({ value: 'settings', label: 'settings' });
      expect(await modelOf({ llm_config: { model: '' } }, 'configured')).toMatchObject({ label: 'configured' });
      expect(await modelOf({})).toMatchObject({ label: 'stored' });
    });

    it('is known by its value alone where none of that name is stored, and none where there is nothing at all', async () => {
      expect(await modelOf({ model_id: 'elsewhere' }, 'configured')).toEqual({ value: 'elsewhere' });
      expect(await modelOf({}, 'configured')).toEqual({ value: 'configured' });
      expect(await modelOf({})).toBeNull();
    });

    it("is that of a team's settings, whatever models its members have", async () => {
      const teamId = await newTeam({ llm: { model: 'of the team' } });
      await newAgent({ team_id: teamId, model_id: 'of a member' });
      const { model } = await assemble(await leaseOf({ executionType: 'team', entityId: teamId }));
      expect(model).toEqual({ value: 'of the team' });
      const plain = await leaseOf({ executionType: 'team', entityId: await newTeam() });
      expect((await assemble(plain, assembler('configured'))).model).toEqual({ value: 'configured' });
    });
  });

  describe('as its variables', () => {
    /** Each layer says the first so many of the names: the last to say one wins. */
    const layer = (name: string, names: string): Record<string, string> =>
      Object.fromEntries(names.split('').map((letter) => [letter, name]));

    beforeEach(async () => {
      const execution_environment = { env_vars: layer('environment', 'abcd') };
      await context.get(EnvironmentService).update(caller, environmentId, { execution_environment });
    });

    const start = { env_vars: { ...layer('start', 'a'), d: null } };

    it('has those of the environment, over them those of the team, the agent and the start', async () => {
      const team_id = await newTeam({}, layer('team', 'abc'));
      const entityId = await newAgent({ team_id, execution_environment: { env_vars: layer('agent', 'ab') } });
      const { variables, team } = await assemble(await leaseOf({ entityId, executionEnvironment: start }));
      expect(variables).toEqual({ a: 'start', b: 'agent', c: 'team' });
      expect(team).toBeNull();
    });

    it("has a team's without those of its members", async () => {
      const entityId = await newTeam({}, layer('team', 'abc'));
      await newAgent({ team_id: entityId, execution_environment: { env_vars: layer('agent', 'abcdef') } });
      const lease = await leaseOf({ executionType: 'team', entityId, executionEnvironment: start });
      const { variables, team } = await assemble(lease);
      expect(variables).toEqual({ a: 'start', b: 'team', c: 'team' });
      expect(team?.agents).toHaveLength(1);
    });

    it("has those of the start alone where it runs nobody and the worker's environment has gone", async () => {
      const lease = await leaseOf({ executionType: 'workflow', entityId: newId(), executionEnvironment: start });
      const run = await assembler().assemble(caller, lease, newId());
      expect(run).toEqual({ lease, agent: null, team: null, model: null, variables: { a: 'start' } });
    });
  });

  it('is nothing where the agent or team has gone, and what is missing is named', async () => {
    const [agentId, teamId] = [await newAgent(), await newTeam()];
    const leases = [
      await leaseOf({ entityId: agentId }),
      await leaseOf({ executionType: 'team', entityId: teamId }),
      await leaseOf({ entityId: (await context.get(AgentService).create(testCaller(), { name: 'Stranger' })).id }),
    ];
    await context.get(AgentService).delete(caller, agentId);
    await context.get(TeamService).delete(caller, teamId);
    const lost = await Promise.all(leases.map((lease) => assembler().assemble(caller, lease, environmentId)));
    expect(lost).toEqual([
      { lease: leases[0], missing: `The agent ${agentId}` },
      { lease: leases[1], missing: `The team ${teamId}` },
      { lease: leases[2], missing: `The agent ${leases[2]?.execution.entity_id}` },
    ]);
  });

  it('goes on without the team of an agent that has gone', async () => {
    const entityId = await newAgent({ team_id: newId() });
    expect((await assemble(await leaseOf({ entityId }))).agent).toMatchObject({ id: entityId });
  });
});
