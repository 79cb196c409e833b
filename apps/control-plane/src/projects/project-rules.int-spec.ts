import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import { EnvironmentProvisioner, EnvironmentService, WorkerQueueService, WorkerService } from '@app/environments';
import { ExecutionsModule, RunnablesModule, type Execution, type RunnableRef } from '@app/executions';
import { JobService, JobsModule, JobTriggerService } from '@app/jobs';
import type { Caller, JsonObject } from '@app/kernel';
import { PoliciesModule, PolicyAssociationService, PolicyResolution, PolicyService } from '@app/policies';
import { ProjectMemberService, ProjectService, ProjectsModule, type CreateProject } from '@app/projects';
import {
  ConnectedWorkerService,
  RequestedRunService,
  RequestedRunsModule,
  OrchestrationModule,
  type AssembledRun,
} from '@app/orchestration';
import { TeamService, TeamsModule } from '@app/teams';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';

const variablesOf = (name: string, letters: string): JsonObject => ({
  env_vars: Object.fromEntries(letters.split('').map((letter) => [letter, name])),
});

describe('the projects of a runnable, from the start of its run to the lease', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let caller: Caller;
  let labId: string;
  let queueId: string;
  let workerId: string;
  let projectCount = 0;

  beforeAll(async () => {
    const kinds = [AgentsModule, TeamsModule];
    const domains = [
      ExecutionsModule,
      RunnablesModule,
      JobsModule,
      PoliciesModule,
      ProjectsModule,
      OrchestrationModule,
    ];
    context = await createTestContext([...kinds, ...domains, RequestedRunsModule], { clock });
  });

  beforeEach(async () => {
    caller = testCaller();
    await context.get(EnvironmentProvisioner).provisionDefaults(caller);
    labId = (await context.get(EnvironmentService).create(caller, { name: 'lab' })).id;
    ({ id: queueId } = await context.get(WorkerQueueService).create(caller, labId, { name: 'bench' }));
    workerId = (await context.get(WorkerService).start(caller, queueId, {})).worker_id;
  });

  afterAll(() => context.close());

  const newAgent = async (fields: JsonObject = {}): Promise<RunnableRef & { kind: 'agent' }> => ({
    kind: 'agent',
    id: (await context.get(AgentService).create(caller, { name: 'writer', ...fields })).id,
  });

  const newTeam = async (fields: JsonObject = {}): Promise<RunnableRef & { kind: 'team' }> => ({
    kind: 'team',
    id: (await context.get(TeamService).create(caller, { name: 'crew', ...fields })).id,
  });

  async function newProject(member: RunnableRef, fields: Partial<CreateProject>): Promise<string> {
    projectCount += 1;
    const project = { name: 'p', key: `key-${projectCount}`, ...fields };
    const { id } = await context.get(ProjectService).create(caller, project);
    clock.advance(1);
    await context.get(ProjectMemberService).add(caller, id, { member });
    return id;
  }

  const restrictedTo = (...environment_ids: string[]): Partial<CreateProject> => ({
    restrict_to_environment: true,
    settings: { environment_ids },
  });

  async function start(ref: RunnableRef, worker_queue_id?: string): Promise<Execution> {
    const request = { prompt: 'Go', ...(worker_queue_id === undefined ? {} : { worker_queue_id }) };
    return (await context.get(RequestedRunService).start(caller, ref, request)).execution;
  }

  async function trigger(id: string, more: JsonObject = {}): Promise<Execution> {
    const fields = { name: 'j', trigger_type: 'manual', prompt_template: 'Go', entity_id: id, ...more } as const;
    const job = await context.get(JobService).create(caller, fields);
    return (await context.get(JobTriggerService).trigger(caller, job.id, {})).execution;
  }

  async function leaseOf(ref: RunnableRef): Promise<AssembledRun> {
    await start(ref, 'bench');
    const { signal } = new AbortController();
    const present = async (runs: readonly AssembledRun[]): Promise<readonly AssembledRun[]> => runs;
    const request = { max: 1, waitMs: 10_000, signal, present };
    const [run] = (await context.get(ConnectedWorkerService).poll(caller, workerId, request)).presented;
    if (run === undefined) throw new Error('No lease');
    return run;
  }

  describe('restrict its environments', () => {
    it('to those in the settings, by id or name, for its own runs, those of its members and those of jobs', async () => {
      const team = await newTeam();
      const member = await newAgent({ team_id: team.id, environment_ids: ['default'] });
      await newProject(team, restrictedTo('lab'));
      const agent = await newAgent();
      await newProject(agent, restrictedTo(labId));
      for (const started of [await start(team), await start(member), await start(agent), await trigger(agent.id)]) {
        expect(started).toMatchObject({ status: 'pending', worker_queue_id: queueId });
      }
    });

    it('and fail runs for which no queue is allowed, with the reason', async () => {
      const agent = await newAgent({ environment_ids: ['default'] });
      const first = await newProject(agent, restrictedTo('lab'));
      const reason = 'allow its runs in the environments lab only: the worker queue default is in none of them';
      const named = { executor_type: 'specific_queue', worker_queue_name: 'default' };
      for (const refused of [await start(agent, 'default'), await trigger(agent.id, named)]) {
        expect(refused).toMatchObject({ status: 'failed', error_message: expect.stringContaining(reason) });
      }
      await newProject(agent, restrictedTo('default'));
      const none = 'Projects of the agent or team allow its runs in no existing environment';
      for (const refused of [await start(agent), await trigger(agent.id)]) {
        expect(refused).toMatchObject({ status: 'failed', error_message: expect.stringContaining(none) });
      }
      await context.get(ProjectService).update(caller, first, { restrict_to_environment: false });
      expect((await start(agent)).status).toBe('pending');
    });
  });

  it('give runs without a model the default model of the first project that has one; own projects precede those of the team', async () => {
    const team = await newTeam();
    const agent = await newAgent({ team_id: team.id });
    await newProject(team, { default_model: 'of the team' });
    expect((await leaseOf(agent)).model).toEqual({ value: 'of the team' });
    expect((await leaseOf(team)).model).toEqual({ value: 'of the team' });
    await newProject(agent, {});
    await newProject(agent, { default_model: 'of the first' });
    await newProject(agent, { default_model: 'of the second' });
    expect((await leaseOf(agent)).model).toEqual({ value: 'of the first' });
    const own = await newAgent({ model_id: 'own' });
    await newProject(own, { default_model: 'of the project' });
    expect((await leaseOf(own)).model).toEqual({ value: 'own' });
  });

  it('set variables that override those of the environment and are overridden by those of the team and the agent', async () => {
    const execution_environment = variablesOf('environment', 'abcde');
    await context.get(EnvironmentService).update(caller, labId, { execution_environment });
    const team = await newTeam({ execution_environment: variablesOf('team', 'e') });
    const agent = await newAgent({ team_id: team.id, execution_environment: variablesOf('agent', 'f') });
    for (const [name, letters] of [
      ['first', 'cdefg'],
      ['second', 'bcdef'],
    ] as const) {
      await newProject(agent, { settings: { execution_environment: variablesOf(name, letters) } });
    }
    const { variables } = (await leaseOf(agent)).environment;
    expect(variables).toEqual({
      a: 'environment',
      b: 'second',
      c: 'first',
      d: 'first',
      e: 'team',
      f: 'agent',
      g: 'first',
    });
    const limited = { ...caller, scopes: ['tasks:execute'] as const };
    const runs = context.get(RequestedRunService);
    const request = { prompt: 'Go', worker_queue_id: 'bench', execution_environment: variablesOf('start', 'g') };
    await expect(runs.start(limited, agent, request)).rejects.toThrow(/the project \S+ sets the variable g/);
  });

  describe('add their policies', () => {
    const newPolicy = async (name: string, content = 'package p\n\nallow := true\n'): Promise<string> =>
      (await context.get(PolicyService).create(caller, { name, policy_content: content })).id;

    it('before those that are associated with the runnable itself, each once with all sources', async () => {
      const team = await newTeam();
      const agent = await newAgent({ team_id: team.id });
      const [shared, own, late] = [await newPolicy('shared'), await newPolicy('own'), await newPolicy('late')];
      const first = await newProject(agent, { policy_ids: [shared, own, shared] });
      const second = await newProject(team, { policy_ids: [shared] });
      const entity = { entity_type: 'agent', entity_id: agent.id } as const;
      const associations = context.get(PolicyAssociationService);
      for (const policy_id of [late, shared]) await associations.create(caller, { ...entity, policy_id });
      const resolved = await context.get(PolicyResolution).resolve(caller, 'agent', agent.id);
      const project = (id: string): object => ({ entity_type: 'project', entity_id: id });
      expect(resolved.map(({ policy_name, source, sources }) => ({ policy_name, source, sources }))).toEqual([
        { policy_name: 'shared', source: project(first), sources: [project(first), project(second), entity] },
        { policy_name: 'own', source: project(first), sources: [project(first)] },
        { policy_name: 'late', source: entity, sources: [entity] },
      ]);
      const ofTeam = await context.get(PolicyResolution).resolve(caller, 'team', team.id);
      expect(ofTeam.map(({ sources }) => sources)).toEqual([[project(second)]]);
    });

    it('to those that decide whether its runs and those of its members may start', async () => {
      const denying = await newPolicy('guard', 'package p\n\nviolations contains "not in this project"');
      const team = await newTeam();
      const agent = await newAgent();
      for (const member of [team, agent]) await newProject(member, { policy_ids: [denying] });
      const member = await newAgent({ team_id: team.id });
      for (const denied of [await start(team), await start(agent), await start(member), await trigger(agent.id)]) {
        expect(denied).toMatchObject({
          ...{ status: 'failed', error_message: expect.stringContaining('not in this project') },
        });
      }
      expect((await start(await newAgent())).status).toBe('pending');
    });
  });
});
