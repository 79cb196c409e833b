import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AgentService, AgentsModule, type CreateAgent } from '@app/agents';
import { InheritanceModule, InheritanceService } from '@app/entity-contexts';
import { EnvironmentProvisioner, EnvironmentService, EnvironmentsModule, WorkerQueueService } from '@app/environments';
import {
  ExecutionService,
  ExecutionsModule,
  LeaseService,
  RunnablesModule,
  RunnableSources,
  type CreateExecution,
  type LeasedExecution,
} from '@app/executions';
import { OpenGateModule } from '@app/executions/testing';
import { newId, type Caller, type JsonObject } from '@app/kernel';
import { ModelService, ModelsModule } from '@app/models';
import { IntegrationService, SecretService } from '@app/resources';
import { SkillAssociationService, SkillService } from '@app/skills';
import { TeamService, TeamsModule } from '@app/teams';
import { createTestContext, testCaller, type TestContext } from '@app/testing';
import { RequestedRunsModule } from '../requested/requested-runs.module.js';
import { RunAssembler } from './run-assembler.js';
import { RunEnvironmentsService } from '../variables/run-environments.service.js';
import { RunModelsService } from './run-models.service.js';
import { SharedReads } from './shared-reads.js';
import type { AssembledRun } from '../run.types.js';

describe('RunAssembler', () => {
  let context: TestContext;
  let caller: Caller;
  let queueId: string;
  let environmentId: string;

  beforeAll(async () => {
    const domains = [EnvironmentsModule, ExecutionsModule, InheritanceModule, ModelsModule, RunnablesModule];
    context = await createTestContext([OpenGateModule, RequestedRunsModule, AgentsModule, TeamsModule, ...domains]);
  });

  beforeEach(async () => {
    caller = testCaller();
    await context.get(EnvironmentProvisioner).provisionDefaults(caller);
    const [queue] = (await context.get(WorkerQueueService).list(caller, {}, { skip: 0, limit: 1 })).items;
    if (queue === undefined) throw new Error('No queue');
    ({ id: queueId, environment_id: environmentId } = queue);
  });

  afterAll(() => context.close());

  async function leaseOf(origin: Partial<CreateExecution>): Promise<LeasedExecution> {
    const user = { userId: 'user-1', userName: 'Ada', userEmail: null, userAvatar: null };
    const what = { executionType: 'agent', entityId: null, entityName: null, prompt: 'Say hello' } as const;
    const assignment = { workerQueueId: queueId, environmentId };
    await context.get(ExecutionService).start(caller, { ...what, user, triggerType: 'manual', assignment, ...origin });
    return takeLease();
  }

  async function takeLease(): Promise<LeasedExecution> {
    const poll = { workerId: newId(), queueId, max: 1, waitMs: 30_000, leaseMs: 60_000, confirmMs: 60_000 };
    const [lease] = await context.get(LeaseService).poll(caller, poll);
    if (lease === undefined) throw new Error('No lease');
    return lease;
  }

  /** Returns the models of another process with this setting. */
  async function modelsWith(setting: string, value: string): Promise<TestContext> {
    process.env[setting] = value;
    const other = await createTestContext([OpenGateModule, ModelsModule], { shareWith: context });
    delete process.env[setting];
    return other;
  }

  function assembler(models = context): RunAssembler {
    return new RunAssembler(
      context.get(RunnableSources),
      context.get(RunEnvironmentsService),
      new RunModelsService(models.get(ModelService)),
      context.get(InheritanceService),
    );
  }

  async function assemble(
    lease: LeasedExecution,
    by = assembler(),
  ): Promise<Omit<AssembledRun, 'steps' | 'candidates'>> {
    const run = await by.assemble(caller, lease, environmentId, new SharedReads());
    if ('reason' in run) throw new Error(run.reason);
    return run;
  }

  const newAgent = async (agent: Partial<CreateAgent> = {}): Promise<string> =>
    (await context.get(AgentService).create(caller, { name: 'Greeter', ...agent })).id;

  const newTeam = async (configuration = {}, variables = {}): Promise<string> => {
    const execution_environment = { env_vars: variables };
    return (await context.get(TeamService).create(caller, { name: 'Crew', configuration, execution_environment })).id;
  };

  it('adds the enabled skills of all layers to a run; skills of the type `mcp` become MCP servers unless a server has their name', async () => {
    const newSkill = async (name: string, more: object): Promise<string> =>
      (await context.get(SkillService).create(caller, { name, ...more })).id;
    const server = { type: 'mcp', configuration: { url: 'http://skill' } };
    const shared = await newSkill('search', server);
    const skill_ids = [
      await newSkill('own', server),
      await newSkill('style', { configuration: { instructions: 'Be brief.' } }),
      await newSkill('off', { ...server, enabled: false }),
    ];
    const place = { entity_type: 'environment', entity_id: environmentId };
    await context.get(SkillAssociationService).add(caller, place.entity_type, place.entity_id, { skill_id: shared });
    const own = { url: 'http://own' };
    const execution_environment = { mcp_servers: { own } };
    const entityId = await newAgent({ environment_ids: ['default'], skill_ids, execution_environment });
    const run = await assemble(await leaseOf({ entityId }));
    expect(run.skills.map(({ name, inherited }) => [name, inherited])).toEqual([
      ['search', true],
      ['own', false],
      ['style', false],
    ]);
    expect(run.environment.mcpServers).toEqual({ search: { url: 'http://skill' }, own });
    expect(run.context).toEqual({ knowledge_uuids: [], resource_ids: [], policy_ids: [] });
  });

  describe('the model of a run', () => {
    const newModel = async (value: string, recommended = false): Promise<string> =>
      (await context.get(ModelService).create(caller, { value, label: value, provider: 'ours', recommended })).id;

    let configured: TestContext;

    beforeAll(async () => {
      configured = await modelsWith('DEFAULT_MODEL', 'configured');
    });

    afterAll(() => configured.close());

    async function modelOf(agent: Partial<CreateAgent>, models?: TestContext): Promise<AssembledRun['model']> {
      return (await assemble(await leaseOf({ entityId: await newAgent(agent) }), assembler(models))).model;
    }

    it('is the model of the agent, otherwise that of its LLM settings, the configured default or the stored default', async () => {
      const own = await newModel('own');
      for (const value of ['settings', 'configured']) await newModel(value);
      await newModel('stored', true);
      const llm_config = { model: 'settings' };
      expect(await modelOf({ model_id: own, llm_config }, configured)).toMatchObject({ id: own, value: 'own' });
      expect(await modelOf({ model_id: 'own', llm_config }, configured)).toMatchObject({ id: own, value: 'own' });
      expect(await modelOf({ llm_config }, configured)).toMatchObject({ value: 'settings', label: 'settings' });
      expect(await modelOf({ llm_config: { model: '' } }, configured)).toMatchObject({ label: 'configured' });
      expect(await modelOf({})).toMatchObject({ label: 'stored' });
    });

    it('makes the run fail if the stored model does not list the runtime of the agent or team', async () => {
      const models = context.get(ModelService);
      const runtimes = { label: 'l', provider: 'ours', compatible_runtimes: ['default', 'acme_code'] };
      await models.create(caller, { value: 'configured', ...runtimes, recommended: true });
      const reasonOf = async (lease: LeasedExecution): Promise<unknown> => {
        const run = await assembler(configured).assemble(caller, lease, environmentId, new SharedReads());
        return 'reason' in run ? run.reason : undefined;
      };
      const reasonOfAgent = async (agent: Partial<CreateAgent>): Promise<unknown> =>
        reasonOf(await leaseOf({ entityId: await newAgent(agent) }));
      expect(await reasonOfAgent({ model_id: 'configured', runtime: 'other_code' })).toMatch(
        /^The agent \S+ has the runtime other_code, but its model configured is compatible only with default, acme_code$/,
      );
      for (const runtime of ['acme_code', 'default', '']) {
        expect(await reasonOfAgent({ model_id: 'configured', runtime })).toBeUndefined();
      }
      await newModel('of none');
      for (const model_id of ['of none', 'elsewhere', null]) {
        expect(await reasonOfAgent({ model_id, runtime: 'other_code' })).toBeUndefined();
      }
      const teamId = await newTeam();
      await newAgent({ team_id: teamId, model_id: 'configured', runtime: 'other_code' });
      expect(await reasonOf(await leaseOf({ executionType: 'team', entityId: teamId }))).toMatch(/^The agent \S+ has/);
    });

    it('can be one that the gateway lists, by its value or id', async () => {
      const gateway = createServer((request, response) =>
        request.url === '/models' ? response.end('{"data": [{"id": "listed"}]}') : response.writeHead(404).end(),
      );
      await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
      const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
      const other = await modelsWith('LLM_GATEWAY_URL', url);
      const models = other.get(ModelService);
      await models.start();
      gateway.close();
      const { id } = await models.read(caller, 'listed');
      const withGateway = assembler(other);
      for (const model_id of ['listed', id]) {
        const { model } = await assemble(await leaseOf({ entityId: await newAgent({ model_id }) }), withGateway);
        expect(model).toMatchObject({ id, value: 'listed', provider: 'gateway', source: 'gateway' });
      }
      const { model } = await assemble(await leaseOf({ entityId: await newAgent() }), withGateway);
      expect(model).toMatchObject({ value: 'listed' });
      await other.close();
    });

    it('has only a value if it is not stored, and is null if there is none', async () => {
      expect(await modelOf({ model_id: 'elsewhere' }, configured)).toEqual({ value: 'elsewhere' });
      expect(await modelOf({}, configured)).toEqual({ value: 'configured' });
      expect(await modelOf({})).toBeNull();
    });

    it("is that of a team's LLM settings, regardless of its members", async () => {
      const teamId = await newTeam({ llm: { model: 'of the team' } });
      await newAgent({ team_id: teamId, model_id: 'of a member' });
      const { model } = await assemble(await leaseOf({ executionType: 'team', entityId: teamId }));
      expect(model).toEqual({ value: 'of the team' });
      const plain = await leaseOf({ executionType: 'team', entityId: await newTeam() });
      expect((await assemble(plain, assembler(configured))).model).toEqual({ value: 'configured' });
    });
  });

  describe('the variables of a run', () => {
    /**
     * Returns the variables of one layer, each with the name of the layer as its value. Later layers override earlier
     * ones.
     */
    const layer = (name: string, names: string): Record<string, string> =>
      Object.fromEntries(names.split('').map((letter) => [letter, name]));

    beforeEach(async () => {
      const execution_environment = { env_vars: layer('environment', 'abcd') };
      await context.get(EnvironmentService).update(caller, environmentId, { execution_environment });
    });

    const start = { env_vars: { ...layer('start', 'a'), d: null } };
    const overriding = (executionEnvironment: JsonObject) => ({ executionEnvironment, mayOverrideEnvironment: true });

    it('are those of the environment, overridden by those of the team, the agent and the request', async () => {
      const team_id = await newTeam({}, layer('team', 'abc'));
      const entityId = await newAgent({ team_id, execution_environment: { env_vars: layer('agent', 'ab') } });
      const { environment, runnable } = await assemble(await leaseOf({ entityId, ...overriding(start) }));
      expect(environment.variables).toEqual({ a: 'start', b: 'agent', c: 'team' });
      expect(runnable).toMatchObject({ kind: 'agent', id: entityId });
    });

    it('do not include those of the members of a team', async () => {
      const entityId = await newTeam({}, layer('team', 'abc'));
      await newAgent({ team_id: entityId, execution_environment: { env_vars: layer('agent', 'abcdef') } });
      const lease = await leaseOf({ executionType: 'team', entityId, ...overriding(start) });
      const { environment } = await assemble(lease);
      expect(environment.variables).toEqual({ a: 'start', b: 'team', c: 'team' });
    });

    it('are only those of the request if there is neither a runnable nor an environment', async () => {
      const lease = await leaseOf({ executionType: 'workflow', entityId: newId(), ...overriding(start) });
      const run = await assembler().assemble(caller, lease, newId(), new SharedReads());
      const none = { plainVariables: [], secrets: [], mcpServers: {}, withheldVariables: {} };
      const environment = { variables: { a: 'start' }, ...none };
      const inherited = { skills: [], context: { knowledge_uuids: [], resource_ids: [], policy_ids: [] } };
      expect(run).toEqual({
        lease,
        runnable: null,
        model: null,
        timeoutMs: null,
        environment,
        ...inherited,
        calls: [],
        furtherModels: new Map(),
      });
    });

    it('are not overridden by a request without the right to do so, even if they were set after the start', async () => {
      const entityId = await newAgent({ execution_environment: { env_vars: layer('agent', 'b') } });
      const requested = { env_vars: { ...layer('start', 'abx'), d: null }, mcp_servers: { mine: { url: 'http://x' } } };
      const { environment } = await assemble(await leaseOf({ entityId, executionEnvironment: requested }));
      expect(environment.variables).toEqual({
        a: 'environment',
        b: 'agent',
        c: 'environment',
        d: 'environment',
        x: 'start',
      });
      expect(environment.mcpServers).toEqual({});
    });

    it('come with the MCP servers, secrets and withheld variables of all layers', async () => {
      const server = (name: string) => ({ url: `https://${name}.example` });
      const of = (name: string) => ({
        env_vars: layer(name, name.slice(0, 1)),
        mcp_servers: { shared: server(name), [name]: server(name) },
        secrets: ['S', name],
      });
      await context.get(EnvironmentService).update(caller, environmentId, { execution_environment: of('environment') });
      const team = { name: 'Crew', execution_environment: of('team') };
      const team_id = (await context.get(TeamService).create(caller, team)).id;
      const execution_environment = { ...of('agent'), start_variables: ['y'] };
      const entityId = await newAgent({ team_id, execution_environment });
      const requested = { env_vars: layer('start', 'axy'), mcp_servers: { start: server('start') }, secrets: ['x'] };
      const { environment } = await assemble(await leaseOf({ entityId, ...overriding(requested) }));
      expect(environment).toEqual({
        variables: { e: 'environment', t: 'team', a: 'start', x: 'start', y: 'start' },
        plainVariables: [],
        secrets: ['S', 'environment', 'team', 'agent', 'x'],
        mcpServers: {
          shared: server('agent'),
          environment: server('environment'),
          team: server('team'),
          agent: server('agent'),
          start: server('start'),
        },
        withheldVariables: { shared: ['x'], environment: ['x'], team: ['x'], agent: ['x'] },
      });
    });
  });

  describe('integrations and secrets of a run', () => {
    const newIntegration = async (name: string, configuration: JsonObject): Promise<string> =>
      (await context.get(IntegrationService).create(caller, { name, type: 't', configuration })).id;
    const newSecret = (name: string) => context.get(SecretService).create(caller, name, `value of ${name}`);

    it('override the variables of the agent, in the order of their ids, and are overridden by those of the request', async () => {
      const first = await newIntegration('first', { env_vars: { a: 'first', b: 'first', c: 'first' }, secrets: ['b'] });
      const second = await newIntegration('second', { env_vars: { c: 'second' }, mcp_servers: { mail: { url: 'x' } } });
      const execution_environment = { env_vars: { a: 'environment' }, integration_ids: [second] };
      await context.get(EnvironmentService).update(caller, environmentId, { execution_environment });
      const own = { env_vars: { a: 'agent', z: 'agent' }, integration_ids: [first, second] };
      const entityId = await newAgent({ execution_environment: own });
      const executionEnvironment = { env_vars: { b: 'start' } };
      const { environment } = await assemble(
        await leaseOf({ entityId, executionEnvironment, mayOverrideEnvironment: true }),
      );
      expect(environment).toMatchObject({
        variables: { a: 'first', b: 'start', c: 'first', z: 'agent' },
        secrets: ['b'],
        mcpServers: { mail: { url: 'x' } },
      });
      const refused = await assemble(await leaseOf({ entityId, executionEnvironment }));
      expect(refused.environment.variables['b']).toBe('first');
    });

    it('put the values of secrets into the variables of any layer, which are then redacted', async () => {
      for (const name of ['ONE', 'TWO', 'THREE']) await newSecret(name);
      const id = await newIntegration('i', { env_vars: { B: 'secret:TWO', C: 'plain' } });
      const own = { env_vars: { A: 'secret:ONE', B: 'secret:gone', N: { x: 'secret:ONE' } }, integration_ids: [id] };
      const entityId = await newAgent({ execution_environment: own });
      const executionEnvironment = { env_vars: { C: 'secret:THREE' } };
      const { environment } = await assemble(
        await leaseOf({ entityId, executionEnvironment, mayOverrideEnvironment: true }),
      );
      expect(environment).toMatchObject({
        variables: { A: 'value of ONE', B: 'value of TWO', C: 'value of THREE', N: '{"x":"secret:ONE"}' },
        secrets: ['A', 'B', 'C'],
      });
    });

    it('ignore integrations and secrets that a request names without the right to do so', async () => {
      await newSecret('MINE');
      const integration = await newIntegration('i', { env_vars: { B: 'secret:MINE' } });
      const executionEnvironment = { env_vars: { A: 'secret:MINE' }, integration_ids: [integration] };
      const { environment } = await assemble(await leaseOf({ entityId: await newAgent(), executionEnvironment }));
      expect(environment).toMatchObject({ variables: { A: 'secret:MINE' }, secrets: [] });
    });

    it('fail the run with the name of what is missing', async () => {
      const reasonOf = async (execution_environment: JsonObject): Promise<unknown> => {
        const lease = await leaseOf({ entityId: await newAgent({ execution_environment }) });
        return assembler().assemble(caller, lease, environmentId, new SharedReads());
      };
      const theirs = await context.get(IntegrationService).create(testCaller(), { name: 'theirs', type: 't' });
      await context.get(SecretService).create(testCaller(), 'THEIRS', 'value');
      expect(await reasonOf({ integration_ids: [theirs.id] })).toMatchObject({
        reason: `The integration ${theirs.id} does not exist`,
      });
      expect(await reasonOf({ env_vars: { A: 'secret:THEIRS', B: 'secret:' } })).toMatchObject({
        reason:
          'The variable A refers to the secret THEIRS, which does not exist; The variable B refers to the secret , which does not exist',
      });
    });
  });

  it('returns what is missing if the agent or team does not exist', async () => {
    const [agentId, teamId] = [await newAgent(), await newTeam()];
    const leases = [
      await leaseOf({ entityId: agentId }),
      await leaseOf({ executionType: 'team', entityId: teamId }),
      await leaseOf({ entityId: (await context.get(AgentService).create(testCaller(), { name: 'Stranger' })).id }),
    ];
    await context.get(AgentService).delete(caller, agentId);
    await context.get(TeamService).delete(caller, teamId);
    const unstartable = await Promise.all(
      leases.map((lease) => assembler().assemble(caller, lease, environmentId, new SharedReads())),
    );
    expect(unstartable).toEqual([
      { lease: leases[0], reason: `The agent ${agentId} no longer exists` },
      { lease: leases[1], reason: `The team ${teamId} no longer exists` },
      { lease: leases[2], reason: `The agent ${leases[2]?.execution.entity_id} no longer exists` },
    ]);
  });

  it('assembles an agent whose team does not exist', async () => {
    const entityId = await newAgent({ team_id: newId() });
    expect((await assemble(await leaseOf({ entityId }))).runnable).toMatchObject({ id: entityId });
  });
});
