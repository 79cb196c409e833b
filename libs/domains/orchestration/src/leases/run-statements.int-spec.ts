import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import { EnvironmentProvisioner, EnvironmentService, WorkerQueueService } from '@app/environments';
import { ExecutionService, LeaseService, type LeasedExecution, type RunnableRef } from '@app/executions';
import { OpenGateModule } from '@app/executions/testing';
import { newId, type Caller } from '@app/kernel';
import { ModelService } from '@app/models';
import { IntegrationService, SecretService } from '@app/resources';
import { SkillAssociationService, SkillService } from '@app/skills';
import { TeamService, TeamsModule } from '@app/teams';
import { createTestContext, statementsOf, testCaller, type TestContext } from '@app/testing';
import { WorkflowService, WorkflowsModule } from '@app/workflows';
import { RequestedRunService } from '../requested/requested-run.service.js';
import { RequestedRunsModule } from '../requested/requested-runs.module.js';
import { RunAssembler } from './run-assembler.js';
import { RunKnowledgeService } from './run-knowledge.service.js';
import { RunPreparationService } from './run-preparation.service.js';
import { OrchestrationModule } from '../orchestration.module.js';
import { SharedReads } from './shared-reads.js';
import type { AssembledRun } from '../run.types.js';

/** An organization, and the queue of its default environment. */
interface Organization {
  readonly caller: Caller;
  readonly queueId: string;
  readonly environmentId: string;
}

describe('the lease of a run', () => {
  let context: TestContext;

  beforeAll(async () => {
    const kinds = [AgentsModule, TeamsModule, WorkflowsModule];
    context = await createTestContext([OpenGateModule, RequestedRunsModule, OrchestrationModule, ...kinds]);
  });

  afterAll(() => context.close());

  async function newOrganization(): Promise<Organization> {
    const caller = testCaller();
    await context.get(EnvironmentProvisioner).provisionDefaults(caller);
    const [queue] = (await context.get(WorkerQueueService).list(caller, {}, { skip: 0, limit: 1 })).items;
    if (queue === undefined) throw new Error('No queue');
    return { caller, queueId: queue.id, environmentId: queue.environment_id };
  }

  /** Creates an agent with an environment, a model, a skill, a context, a project, an integration and a secret of its own. */
  async function newAgent(caller: Caller, name: string, team_id: string | null = null): Promise<string> {
    const environment = await context.get(EnvironmentService).create(caller, { name: `environment ${name}` });
    const model = { value: `model ${name}`, label: name, provider: 'ours' };
    await context.get(ModelService).create(caller, model);
    const integration = { name, type: 't', configuration: { env_vars: { INTEGRATION: name } } };
    const { id: integrationId } = await context.get(IntegrationService).create(caller, integration);
    const secret = name.toUpperCase().replaceAll(' ', '_');
    await context.get(SecretService).create(caller, secret, `secret of ${name}`);
    const { id } = await context.get(AgentService).create(caller, {
      name,
      team_id,
      environment_ids: [`environment ${name}`],
      model_id: model.value,
      execution_environment: { env_vars: { SECRET: `secret:${secret}` }, integration_ids: [integrationId] },
    });
    const { id: skill_id } = await context.get(SkillService).create(caller, { name: `skill ${name}` });
    await context.get(SkillAssociationService).add(caller, 'agent', id, { skill_id });
    const ids = [caller.organizationId, environment.id, name, id, newId()];
    await context.database.sql(
      `INSERT INTO entity_contexts (organization_id, entity_type, entity_id, knowledge_uuids, resource_ids, policy_ids,
         created_at, updated_at) VALUES ($1, 'environment', $2, ARRAY['knowledge ' || $3], '{}', '{}', now(), now())`,
      ids.slice(0, 3),
    );
    await context.database.sql(
      `WITH project AS (INSERT INTO projects (id, organization_id, name, key, status, visibility, settings,
           restrict_to_environment, policy_ids, is_default, created_at, updated_at)
         VALUES ($4, $1, $2, $2, 'active', 'private', $5, false, '{}', false, now(), now()))
       INSERT INTO project_members (id, organization_id, project_id, kind, entity_id, added_at)
       VALUES ($4, $1, $4, 'agent', $3, now())`,
      [caller.organizationId, name, id, newId(), { execution_environment: { env_vars: { PROJECT: name } } }],
    );
    return id;
  }

  async function newTeam(caller: Caller, name: string, members: number): Promise<string> {
    const { id } = await context.get(TeamService).create(caller, { name });
    for (let n = 0; n < members; n += 1) await newAgent(caller, `${name} ${n}`, id);
    return id;
  }

  async function leaseOf(organization: Organization, ref: RunnableRef): Promise<LeasedExecution> {
    const { caller, queueId } = organization;
    await context.get(RequestedRunService).start(caller, ref, { worker_queue_id: queueId });
    return takeLease(organization);
  }

  async function takeLease({ caller, queueId }: Organization): Promise<LeasedExecution> {
    const poll = { workerId: newId(), queueId, max: 1, waitMs: 30_000, leaseMs: 60_000, confirmMs: 60_000 };
    const [lease] = await context.get(LeaseService).poll(caller, poll);
    if (lease === undefined) throw new Error('No lease');
    return lease;
  }

  /** Returns the assembled run, and the names of the statements that assembling it and searching its knowledge sends. */
  async function assemble(
    { caller, environmentId }: Organization,
    lease: LeasedExecution,
  ): Promise<{ run: Omit<AssembledRun, 'steps' | 'candidates'>; assembling: string[]; searching: string[] }> {
    let run: Awaited<ReturnType<RunAssembler['assemble']>> | undefined;
    const assembling = await statementsOf(async () => {
      run = await context.get(RunAssembler).assemble(caller, lease, environmentId, new SharedReads());
    });
    if (run === undefined || 'reason' in run) throw new Error(run?.reason);
    const reader = { caller, executionId: lease.execution.id, leaseToken: lease.leaseToken };
    const searching = await statementsOf(() =>
      context.get(RunKnowledgeService).list(reader, undefined, { skip: 0, limit: 10 }),
    );
    return { run, assembling: namesIn(assembling), searching: namesIn(searching) };
  }

  /** Omits statements of background work. */
  const namesIn = (statements: readonly string[]): string[] =>
    statements.filter((name) => !/^outbox\.|^SELECT \* FROM \(.*LIMIT 0$/su.test(name)).sort();

  /** Checks that the members of a run have everything that was created for them. */
  function expectComplete({ calls }: Pick<AssembledRun, 'calls'>, names: readonly string[]): void {
    const found = calls.filter(({ runnable }) => runnable.kind === 'agent');
    expect(found.map(({ model }) => model?.value)).toEqual(names.map((name) => `model ${name}`));
    expect(found.map(({ skills }) => skills.map(({ name }) => name))).toEqual(names.map((name) => [`skill ${name}`]));
    // The environments of its team, which are those of all members, follow those of the agent itself.
    expect(found.map((call) => call.context.knowledge_uuids[0])).toEqual(names.map((name) => `knowledge ${name}`));
    expect(found.map(({ environment }) => environment.variables)).toEqual(
      names.map((name) => ({ PROJECT: name, INTEGRATION: name, SECRET: `secret of ${name}` })),
    );
  }

  it('has the members that the team had at the start, except for members that have left since', async () => {
    const organization = await newOrganization();
    const { caller, queueId, environmentId } = organization;
    const agents = context.get(AgentService);
    const teamId = await newTeam(caller, 'team', 2);
    await context.get(RequestedRunService).start(caller, { kind: 'team', id: teamId }, { worker_queue_id: queueId });
    await newAgent(caller, 'later', teamId);
    const [removed] = (await agents.list(caller, {}, { skip: 1, limit: 1 })).items;
    await agents.update(caller, removed?.id ?? '', { team_id: null });
    const lease = await takeLease(organization);
    const run = await context.get(RunAssembler).assemble(caller, lease, environmentId, new SharedReads());
    const names = 'calls' in run ? run.calls.map(({ model }) => model?.value) : [];
    expect(names).toEqual(['model team 0']);
  });

  it('is read with as many statements for a team of 20 as for a team of 2', async () => {
    const organization = await newOrganization();
    // The first read of a bounded set also queries its columns.
    await assemble(
      organization,
      await leaseOf(organization, { kind: 'team', id: await newTeam(organization.caller, 'warm', 2) }),
    );
    const [small, large] = [
      await newTeam(organization.caller, 'small', 2),
      await newTeam(organization.caller, 'large', 20),
    ];
    const ofSmall = await assemble(organization, await leaseOf(organization, { kind: 'team', id: small }));
    const ofLarge = await assemble(organization, await leaseOf(organization, { kind: 'team', id: large }));
    expectComplete(
      ofLarge.run,
      Array.from({ length: 20 }, (_member, n) => `large ${n}`),
    );
    expect(ofLarge.assembling).toEqual(ofSmall.assembling);
    expect(ofLarge.searching).toEqual(ofSmall.searching);
    expect(ofLarge.assembling.length).toBeLessThanOrEqual(22);
  });

  it('is read with a number of statements that does not depend on the agents, teams and models of a workflow', async () => {
    const organization = await newOrganization();
    const { caller } = organization;
    const newWorkflow = async (name: string, size: number): Promise<RunnableRef> => {
      const steps = [];
      for (let n = 0; n < size; n += 1) {
        steps.push({ name: `a${n}`, type: 'agent', agent_id: await newAgent(caller, `${name} ${n}`), prompt: 'p' });
        steps.push({
          name: `t${n}`,
          type: 'team',
          team_id: await newTeam(caller, `${name} team ${n}`, 1),
          prompt: 'p',
        });
        steps.push({ name: `p${n}`, type: 'prompt', prompt: 'p', model_id: `model ${name} ${n}` });
      }
      return { kind: 'workflow', id: (await context.get(WorkflowService).create(caller, { name, steps })).id };
    };
    await assemble(organization, await leaseOf(organization, await newWorkflow('warm', 2)));
    const ofSmall = await assemble(organization, await leaseOf(organization, await newWorkflow('small', 2)));
    const ofLarge = await assemble(organization, await leaseOf(organization, await newWorkflow('large', 8)));
    const numbers = Array.from({ length: 8 }, (_step, n) => n);
    expectComplete(ofLarge.run, [...numbers.map((n) => `large ${n}`), ...numbers.map((n) => `large team ${n} 0`)]);
    expect([...ofLarge.run.furtherModels].map(([name, model]) => [name, 'label' in model && model.label])).toEqual(
      numbers.map((n) => [`model large ${n}`, `large ${n}`]),
    );
    expect(ofLarge.assembling).toEqual(ofSmall.assembling);
    expect(ofLarge.searching).toEqual(ofSmall.searching);
  });

  it('is read with one statement for the environment, and one for the restrictions, of the candidates of a poll', async () => {
    const organization = await newOrganization();
    const { caller, queueId, environmentId } = organization;
    await context.get(AgentService).create(caller, { name: 'Greeter' });
    const place = { environmentId, runtimes: null };
    const present = async (runs: readonly AssembledRun[]): Promise<readonly AssembledRun[]> => runs;
    const statements: string[][] = [];
    for (const count of [1, 1, 3]) {
      const leases: LeasedExecution[] = [];
      for (let n = 0; n < count; n += 1) {
        await context.get(ExecutionService).start(caller, {
          ...{ executionType: 'agent', entityId: null, entityName: null, prompt: 'Go', triggerType: 'manual' },
          assignment: { workerQueueId: queueId, environmentId },
          user: { userId: 'user-1', userName: 'Ada', userEmail: null, userAvatar: null },
        });
        leases.push(await takeLease(organization));
      }
      const sent = await statementsOf(async () => {
        const { presented } = await context.get(RunPreparationService).prepare(caller, leases, place, { present });
        expect(presented.map(({ candidates }) => candidates.length)).toEqual(leases.map(() => 1));
      });
      statements.push(namesIn(sent).filter((name) => !/candidates|^teams/u.test(name)));
    }
    const [, one, three] = statements;
    expect(three).toEqual(one);
    expect(one).toEqual([
      'environments.execution_environment',
      'environments.find_named',
      'models.preferred',
      'projects.find_restricted_members',
    ]);
  });
});
