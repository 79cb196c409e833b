import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import { EntityContextsModule, EntityContextService } from '@app/entity-contexts';
import { EnvironmentProvisioner, EnvironmentService, WorkerQueueService, WorkerService } from '@app/environments';
import {
  ExecutionsModule,
  RunnableSource,
  RunnablesModule,
  type AssembledRunnable,
  type Execution,
  type Runnable,
  type RunnableRef,
} from '@app/executions';
import { JobService, JobsModule, JobTriggerService, type PlanningMode } from '@app/jobs';
import type { Caller, JsonObject } from '@app/kernel';
import {
  PoliciesModule,
  PolicyAssociationService,
  PolicyResolution,
  PolicyService,
  type PolicyEntityType,
} from '@app/policies';
import { ProjectLookupService, ProjectLookupModule } from '@app/projects';
import { KnowledgeService } from '@app/resources';
import { ConnectedWorkerService, OrchestrationModule } from '@app/orchestration';
import { SkillAssociationService } from '@app/skills';
import { TeamMemberService, TeamService, TeamsModule } from '@app/teams';
import { createTestContext, statementsOf, testCaller, type TestContext } from '@app/testing';
import { Injectable, Module } from '@nestjs/common';
import { AgentPresenter } from '../agents/agent.presenter.js';
import { TeamPresenter } from '../teams/team.presenter.js';
import type { LeaseResponse } from './dto/lease.response.dto.js';
import { LeasePresenter } from './lease.presenter.js';

/** A kind that jobs, policies, runs and leases have no code for. */
@Injectable()
class WorkflowSource extends RunnableSource {
  override readonly kind = 'workflow';
  override readonly memberOfKinds = ['team'] as const;
  readonly recorded: string[] = [];
  environmentIds: readonly string[] = [];
  memberOf: readonly RunnableRef[] = [];

  override async find(_scope: object, id: string): Promise<Runnable | undefined> {
    const { kind, environmentIds, memberOf } = this;
    return id === 'flow'
      ? { kind, id, name: 'Flow', environmentIds, memberOf, lastActiveAt: null, changes: [] }
      : undefined;
  }

  override async namesOf(): Promise<ReadonlyMap<string, string>> {
    return new Map([['flow', 'Flow']]);
  }

  override async idsNamed(): Promise<ReadonlyMap<string, readonly string[]>> {
    return new Map();
  }

  override async assemble(_scope: object, id: string): Promise<AssembledRunnable | undefined> {
    const execution_environment = { env_vars: { A: 'flow', B: 'flow' } };
    return id === 'flow'
      ? { kind: this.kind, id, model: 'of the flow', timeoutMs: null, execution_environment, memberOf: this.memberOf }
      : undefined;
  }

  override async recordRun(_scope: object, { id }: Runnable): Promise<void> {
    this.recorded.push(id);
  }
}

@Module({ providers: [WorkflowSource] })
class WorkflowsModule {}

describe('the run of a job, from its trigger to the lease of a worker', () => {
  let context: TestContext;
  let presenter: LeasePresenter;
  let caller: Caller;
  let labId: string;
  let workerId: string;

  beforeAll(async () => {
    const kinds = [AgentsModule, TeamsModule, WorkflowsModule];
    const domains = [
      EntityContextsModule,
      ExecutionsModule,
      RunnablesModule,
      JobsModule,
      PoliciesModule,
      ProjectLookupModule,
      OrchestrationModule,
    ];
    context = await createTestContext([...kinds, ...domains]);
    const projects = context.get(ProjectLookupService);
    const skills = context.get(SkillAssociationService);
    const agents = new AgentPresenter(context.get(EnvironmentService), projects, skills);
    const teams = new TeamPresenter(context.get(TeamMemberService), agents, projects, skills);
    presenter = new LeasePresenter(agents, teams, context.get(KnowledgeService));
  });

  beforeEach(async () => {
    caller = testCaller();
    await context.get(EnvironmentProvisioner).provisionDefaults(caller);
    labId = (await context.get(EnvironmentService).create(caller, { name: 'lab' })).id;
    const { id: queueId } = await context.get(WorkerQueueService).create(caller, labId, { name: 'bench' });
    workerId = (await context.get(WorkerService).start(caller, queueId, {})).worker_id;
    Object.assign(context.get(WorkflowSource), { environmentIds: ['lab'], memberOf: [], recorded: [] });
  });

  afterAll(() => context.close());

  async function trigger(planning_mode: PlanningMode, entity_id: string, more: JsonObject = {}): Promise<Execution> {
    const fields = { name: 'j', trigger_type: 'manual', prompt_template: 'Go', planning_mode, entity_id } as const;
    const { id } = await context.get(JobService).create(caller, { ...fields, ...more });
    return (await context.get(JobTriggerService).trigger(caller, id, {})).execution;
  }

  const poll = async (max = 10): Promise<readonly LeaseResponse[]> => {
    const present = presenter.many.bind(presenter, caller);
    const { signal } = new AbortController();
    return (await context.get(ConnectedWorkerService).poll(caller, workerId, { max, waitMs: 10_000, signal, present }))
      .presented;
  };

  async function guard(entity_type: PolicyEntityType, entity_id: string): Promise<void> {
    const policy_content = `package guard\n\nviolations contains "not in this ${entity_type}"`;
    const { id: policy_id } = await context.get(PolicyService).create(caller, { name: 'guard', policy_content });
    await context.get(PolicyAssociationService).create(caller, { entity_type, entity_id, policy_id });
  }

  const newTeam = async (variables: JsonObject = {}): Promise<string> => {
    const execution_environment = { env_vars: variables };
    return (await context.get(TeamService).create(caller, { name: 'crew', execution_environment })).id;
  };

  describe('of a kind that only its source implements', () => {
    it('starts in an environment of the runnable and is recorded', async () => {
      const source = context.get(WorkflowSource);
      expect(await trigger('predefined_workflow', 'flow')).toMatchObject({
        status: 'pending',
        execution_type: 'workflow',
        entity_id: 'flow',
        entity_name: 'Flow',
      });
      expect(source.recorded).toEqual(['flow']);
      const missing = await trigger('predefined_workflow', 'other');
      expect(missing).toMatchObject({ status: 'failed', error_message: 'There is no workflow other' });
      expect(source.recorded).toEqual(['flow']);
    });

    it('is denied by policies of its environment', async () => {
      await guard('environment', labId);
      expect((await trigger('predefined_workflow', 'flow')).error_message).toContain('not in this environment');
    });

    it('is denied by policies of the team of the runnable', async () => {
      const id = await newTeam();
      await guard('team', id);
      expect((await trigger('predefined_workflow', 'flow')).status).toBe('pending');
      Object.assign(context.get(WorkflowSource), { memberOf: [{ kind: 'team', id }] });
      expect((await trigger('predefined_workflow', 'flow')).error_message).toContain('not in this team');
    });

    it('is leased with the model and the variables of the runnable', async () => {
      const memberOf = [{ kind: 'team', id: await newTeam({ B: 'crew', C: 'crew' }) }];
      Object.assign(context.get(WorkflowSource), { memberOf });
      const { id } = await trigger('predefined_workflow', 'flow');
      const [lease] = await poll();
      expect(lease).toMatchObject({
        execution: { id, execution_type: 'workflow', entity_id: 'flow' },
        agent: null,
        team: null,
        model: { id: null, value: 'of the flow' },
        environment: { A: 'flow', B: 'flow', C: 'crew' },
      });
    });
  });

  it('is leased with the agent or the team that it runs', async () => {
    const team_id = await newTeam();
    const member = { name: 'writer', team_id, environment_ids: ['lab'] };
    const { id: agentId } = await context.get(AgentService).create(caller, member);
    const ids = [
      (await trigger('predefined_agent', agentId)).id,
      (await trigger('predefined_agent', agentId)).id,
      (await trigger('predefined_team', team_id)).id,
    ];
    const leases: LeaseResponse[] = [];
    while (leases.length < ids.length) leases.push(...(await poll()));
    const byId = new Map(leases.map((lease) => [lease.execution.id, lease]));
    const agent = { id: agentId, name: 'writer', environments: [{ id: labId, name: 'lab' }], skills: [] };
    for (const id of ids.slice(0, 2))
      expect(byId.get(id)).toMatchObject({ agent, team: null, skills: [], context: { knowledge_uuids: [] } });
    expect(byId.get(ids[2] ?? '')).toMatchObject({ agent: null, team: { id: team_id, agents: [agent] } });
  });

  it('is denied by policies in the contexts of its layers, each once with all sources', async () => {
    const policy_content = 'package guard\n\nviolations contains "not in this context"';
    const { id: policy } = await context.get(PolicyService).create(caller, { name: 'guard', policy_content });
    const team_id = await newTeam();
    await context.get(AgentService).create(caller, { name: 'other', team_id, environment_ids: ['lab'] });
    const { id } = await context.get(AgentService).create(caller, { name: 'writer', team_id });
    expect((await trigger('predefined_agent', id)).status).toBe('pending');
    const contexts = context.get(EntityContextService);
    const layers = { environment: labId, team: team_id };
    for (const [type, entity] of Object.entries(layers)) {
      await contexts.put(caller, type, entity, { policy_ids: [policy] });
    }
    const denied = await trigger('predefined_agent', id);
    expect(denied).toMatchObject({ status: 'failed', error_message: expect.stringContaining('not in this context') });
    const [applied, ...others] = await context.get(PolicyResolution).resolve(caller, 'agent', id);
    const sources = [
      { entity_type: 'environment', entity_id: labId },
      { entity_type: 'team', entity_id: team_id },
    ];
    expect([applied?.sources, others]).toEqual([sources, []]);
    const [ofPlace] = await context.get(PolicyResolution).resolve(caller, 'environment', 'lab');
    expect(ofPlace?.sources).toEqual(sources.slice(0, 1));
    await contexts.delete(caller, 'environment', labId);
    await contexts.delete(caller, 'team', team_id);
    expect((await trigger('predefined_agent', id)).status).toBe('pending');
  });

  it('is triggered with six statements if the job names the queue and there is no policy', async () => {
    const { id: agentId } = await context.get(AgentService).create(caller, { name: 'writer' });
    const queue = { executor_type: 'specific_queue', worker_queue_name: 'bench' } as const;
    const fields = { name: 'j', trigger_type: 'manual', prompt_template: 'Go', entity_id: agentId, ...queue } as const;
    const { id } = await context.get(JobService).create(caller, fields);
    const triggers = context.get(JobTriggerService);
    const names = await statementsOf(() => triggers.trigger(caller, id, {}));
    // Not counted: the relay of the message at the same time, and the record of the agent's run, at most once a second.
    const own = names.filter((name) => !name.startsWith('outbox.') && name !== 'agents.record_activity');
    expect(own.toSorted()).toEqual([
      'agents.find_runnable',
      'execution.insert.1',
      'jobs.find',
      'policies.any',
      'projects.find_restrictions',
      'worker_queues.named',
    ]);
  });
});
