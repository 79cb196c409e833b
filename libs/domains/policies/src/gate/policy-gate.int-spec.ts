import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import { EnvironmentProvisioner, EnvironmentService, WorkerQueueService } from '@app/environments';
import { ExecutionService, ExecutionsModule, type Execution, type CreateExecution } from '@app/executions';
import { EntityContextsModule, EntityContextService } from '@app/entity-contexts';
import { newId, type Caller } from '@app/kernel';
import { ProjectMemberService, ProjectService } from '@app/projects';
import { TeamService, TeamsModule } from '@app/teams';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { PoliciesModule } from '../policies.module.js';
import { PolicyAssociationService } from '../associations/policy-association.service.js';
import { PolicyResolution } from '../associations/policy-resolution.js';
import { DECISION_LIMITS } from '../policies/policy.types.js';
import { PolicyDecisionService } from '../decisions/policy-decision.service.js';
import type { PolicyDecisionSummary } from '../decisions/policy-decision.types.js';
import { PolicyReplayService } from '../decisions/policy-replay.service.js';
import { PolicyService } from '../policies/policy.service.js';
import type { PolicyEntityType } from '../policies/policy.types.js';

const firstPage = { skip: 0, limit: 100 };
const DENIES = 'package guard\n\nviolations contains sprintf("not %s", [input.execution.prompt])';
const ALLOWS = 'package guard\n\nallow if input.action == "execute"';

describe('executions subject to policies', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let executions: ExecutionService;
  let decisions: PolicyDecisionService;
  let policies: PolicyService;

  beforeAll(async () => {
    context = await createTestContext(
      [AgentsModule, TeamsModule, EntityContextsModule, ExecutionsModule, PoliciesModule],
      {
        clock,
      },
    );
    executions = context.get(ExecutionService);
    decisions = context.get(PolicyDecisionService);
    policies = context.get(PolicyService);
  });

  afterAll(() => context.close());

  interface Fixture {
    readonly caller: Caller;
    readonly environmentId: string;
    readonly queueId: string;
    readonly agentId: string;
  }

  async function newFixture(): Promise<Fixture> {
    const caller = testCaller({ userEmail: 'ada@acme.test' });
    const environments = context.get(EnvironmentService);
    await context.get(EnvironmentProvisioner).provisionDefaults(caller);
    const environmentId = (await environments.read(caller, 'default')).id;
    const { items } = await context.get(WorkerQueueService).listIn(caller, 'default', firstPage);
    const agent = await context.get(AgentService).create(caller, { name: 'writer' });
    return { caller, environmentId, queueId: items[0]?.id ?? '', agentId: agent.id };
  }

  async function guard(caller: Caller, type: PolicyEntityType, id: string, policy_content: string): Promise<string> {
    const policy = await policies.create(caller, { name: 'guard', policy_content });
    const association = { entity_type: type, entity_id: id, policy_id: policy.id };
    await context.get(PolicyAssociationService).create(caller, association);
    return policy.id;
  }

  const requestFor = ({ caller, agentId }: Fixture, fields: Partial<CreateExecution> = {}): CreateExecution => ({
    executionType: 'agent',
    entityId: agentId,
    entityName: 'writer',
    prompt: 'Write',
    user: caller,
    triggerType: 'api',
    ...fields,
  });

  const start = (fixture: Fixture, fields: Partial<CreateExecution> = {}): Promise<Execution> =>
    executions.start(fixture.caller, {
      ...requestFor(fixture, fields),
      assignment: { workerQueueId: fixture.queueId, environmentId: fixture.environmentId },
    });

  const decisionsOf = async (caller: Caller): Promise<readonly PolicyDecisionSummary[]> =>
    (await decisions.list(caller, {}, firstPage)).items;

  const countExecutions = async (caller: Caller): Promise<number | undefined> =>
    (await executions.list(caller, {}, firstPage)).total;

  it('start if no policy applies, without a recorded decision', async () => {
    const fixture = await newFixture();
    await policies.create(fixture.caller, { name: 'unassociated', policy_content: DENIES });
    expect(await start(fixture)).toMatchObject({ status: 'pending', worker_queue_id: fixture.queueId });
    expect(await decisionsOf(fixture.caller)).toEqual([]);
  });

  describe('of a team', () => {
    let fixture: Fixture;
    let caller: Caller;
    let joined: string;
    let listed: string;
    let team: string;

    /** Creates a team with one member by `team_id` and one by `member_ids`. */
    beforeEach(async () => {
      fixture = await newFixture();
      ({ caller, agentId: listed } = fixture);
      const configuration = { member_ids: [listed] };
      team = (await context.get(TeamService).create(caller, { name: 'crew', configuration })).id;
      joined = (await context.get(AgentService).create(caller, { name: 'joined', team_id: team })).id;
    });

    const startTeam = (): Promise<Execution> => start(fixture, { executionType: 'team', entityId: team });
    const denied = { status: 'failed', error_message: expect.stringContaining('not Write') };

    it('start only if the policies of each member allow', async () => {
      expect((await startTeam()).status).toBe('pending');
      for (const member of [joined, listed]) {
        const policy = await guard(caller, 'agent', member, DENIES);
        expect(await startTeam()).toMatchObject(denied);
        await policies.delete(caller, policy);
      }
      const stranger = await context.get(AgentService).create(caller, { name: 'stranger' });
      await guard(caller, 'agent', stranger.id, DENIES);
      expect((await startTeam()).status).toBe('pending');
    });

    it('start only if the policies that each member inherits allow', async () => {
      const { id: policy } = await policies.create(caller, { name: 'guard', policy_content: DENIES });
      const contexts = context.get(EntityContextService);
      await contexts.put(caller, 'agent', listed, { policy_ids: [policy] });
      expect(await startTeam()).toMatchObject(denied);
      await contexts.delete(caller, 'agent', listed);
      const project = { name: 'p', key: 'guarded', policy_ids: [policy] };
      const { id: projectId } = await context.get(ProjectService).create(caller, project);
      const member = { kind: 'agent', id: joined } as const;
      await context.get(ProjectMemberService).add(caller, projectId, { member });
      expect(await startTeam()).toMatchObject(denied);
      await context.get(ProjectService).delete(caller, projectId);
      expect((await startTeam()).status).toBe('pending');
      const { id: other } = await context.get(TeamService).create(caller, { name: 'other' });
      await context.get(AgentService).update(caller, listed, { team_id: other });
      await guard(caller, 'team', other, DENIES);
      expect(await startTeam()).toMatchObject(denied);
    });

    it('evaluate each policy once, with everything that makes it apply', async () => {
      const policy = await guard(caller, 'team', team, ALLOWS);
      for (const entity_id of [joined, listed]) {
        const association = { entity_type: 'agent', entity_id, policy_id: policy } as const;
        clock.advance(1);
        await context.get(PolicyAssociationService).create(caller, association);
      }
      const run = { executionType: 'team', entityId: team, environmentId: fixture.environmentId } as const;
      const [applied, ...others] = await context.get(PolicyResolution).findForRun(caller, run);
      const sources = [
        { entity_type: 'team', entity_id: team },
        { entity_type: 'agent', entity_id: joined },
        { entity_type: 'agent', entity_id: listed },
      ];
      expect(applied).toMatchObject({ policy_id: policy, source: sources[0], sources });
      expect(others).toEqual([]);
      expect((await startTeam()).status).toBe('pending');
      expect(await decisionsOf(caller)).toMatchObject([{ entity_id: team, policies: [{ policy_id: policy }] }]);
      const ofTeam = await context.get(PolicyResolution).resolve(caller, 'team', team);
      expect(ofTeam.map((one) => one.sources)).toEqual([sources.slice(0, 1)]);
    });
  });

  it('start if every policy allows, and the decision is recorded with its input', async () => {
    const fixture = await newFixture();
    const { caller, agentId, queueId, environmentId } = fixture;
    const policyId = await guard(caller, 'agent', agentId, ALLOWS);
    const execution = await start(fixture, {
      jobId: 'job_1',
      config: { deep: [1] },
      executionEnvironment: { TOKEN: 't' },
    });
    expect(execution).toMatchObject({ status: 'pending', error_message: null, worker_queue_id: queueId });
    const [summary] = await decisionsOf(caller);
    const { input, ...decision } = await decisions.read(caller, summary?.id ?? '');
    expect(decision).toMatchObject({
      kind: 'execution',
      action: 'execute',
      entity_type: 'agent',
      entity_id: agentId,
      allowed: true,
      violations: [],
      policies: [
        { policy_id: policyId, version: 1, allowed: true, source: { entity_type: 'agent', entity_id: agentId } },
      ],
      execution_id: execution.id,
      user_id: caller.userId,
      user_email: 'ada@acme.test',
      key_id: null,
      at: clock.now(),
    });
    expect(input).toEqual({
      action: 'execute',
      entity: { type: 'agent', id: agentId, name: 'writer' },
      execution: {
        ...{ id: execution.id, type: 'agent', entity_id: agentId, prompt: 'Write', system_prompt: null },
        ...{ trigger_type: 'api', trigger_metadata: {}, job_id: 'job_1', parent_execution_id: null },
        ...{ worker_queue_id: queueId, environment_id: environmentId, metadata: {}, config: { deep: [1] } },
      },
      user: { id: caller.userId, email: 'ada@acme.test', name: 'Tester' },
    });
  });

  it('that are denied fail with the reason and are not queued', async () => {
    const fixture = await newFixture();
    await guard(fixture.caller, 'agent', fixture.agentId, DENIES);
    const execution = await start(fixture);
    const failed = {
      status: 'failed',
      error_message: 'Denied by policy "guard" (version 1): not Write',
      worker_queue_id: null,
      started_at: null,
      completed_at: clock.now(),
    };
    expect(execution).toMatchObject(failed);
    expect(await executions.read(fixture.caller, execution.id)).toMatchObject(failed);
    expect(await decisionsOf(fixture.caller)).toMatchObject([{ allowed: false, execution_id: execution.id }]);
    const queued = await context.database.sql('SELECT queued_at FROM executions WHERE id = $1', [execution.id]);
    expect(queued).toEqual([{ queued_at: null }]);
  });

  it('that are denied have a reason that names exactly the denying policies', async () => {
    const fixture = await newFixture();
    const { caller, agentId, environmentId } = fixture;
    await guard(caller, 'environment', environmentId, 'package a\n\nallow := false');
    await guard(caller, 'agent', agentId, ALLOWS);
    await guard(caller, 'agent', agentId, 'package a\n\ndeny := ["b", "a"]');
    expect((await start(fixture)).error_message).toBe(
      'Denied by policy "guard" (version 1): does not allow it\nDenied by policy "guard" (version 1): b; a',
    );
  });

  it.each(['environment', 'team', 'agent'] as const)('are denied by a policy of their %s', async (level) => {
    const fixture = await newFixture();
    const { caller, agentId } = fixture;
    const elsewhere = await context.get(EnvironmentService).create(caller, { name: 'elsewhere' });
    const team = await context.get(TeamService).create(caller, { name: 'crew' });
    await context.get(AgentService).update(caller, agentId, { team_id: team.id, environment_ids: ['elsewhere'] });
    const ids = { environment: elsewhere.id, team: team.id, agent: agentId };
    await guard(caller, level, ids[level], DENIES);
    expect((await start(fixture)).status).toBe('failed');
    const other = await context.get(AgentService).create(caller, { name: 'other' });
    expect((await start(fixture, { entityId: other.id })).status).toBe('pending');
  });

  it('are denied by a policy of the assigned environment, whatever their type', async () => {
    const fixture = await newFixture();
    const { caller, environmentId } = fixture;
    await guard(caller, 'environment', environmentId, DENIES);
    const team = await context.get(TeamService).create(caller, { name: 'crew' });
    const runs: Partial<CreateExecution>[] = [
      {},
      { entityId: null },
      { entityId: 'not-known-here' },
      { executionType: 'team', entityId: team.id },
      { executionType: 'workflow', entityId: newId() },
    ];
    for (const run of runs) expect((await start(fixture, run)).status).toBe('failed');
    expect(await decisionsOf(caller)).toHaveLength(runs.length);
  });

  it('without an assignment are denied by the policies of their runnable', async () => {
    const fixture = await newFixture();
    const { caller, agentId, environmentId } = fixture;
    await guard(caller, 'agent', agentId, DENIES);
    await guard(caller, 'environment', environmentId, DENIES);
    expect(await executions.create(caller, requestFor(fixture))).toMatchObject({ status: 'failed' });
    expect((await executions.create(caller, requestFor(fixture, { entityId: 'unknown' }))).status).toBe('pending');
    expect((await executions.create(caller, requestFor(fixture, { entityId: null }))).status).toBe('pending');
  });

  it('are subject to the current version of a policy as soon as it is associated', async () => {
    const fixture = await newFixture();
    const { caller, agentId } = fixture;
    expect((await start(fixture)).status).toBe('pending');
    const policyId = await guard(caller, 'agent', agentId, DENIES);
    expect((await start(fixture)).status).toBe('failed');
    await policies.update(caller, policyId, { policy_content: ALLOWS });
    expect((await start(fixture)).status).toBe('pending');
    await policies.update(caller, policyId, { policy_content: '' });
    expect((await start(fixture)).error_message).toContain('(version 3): Policy "guard" does not compile');
    await policies.update(caller, policyId, { enabled: false });
    expect((await start(fixture)).status).toBe('pending');
  });

  it('are not affected by the policies of another organization', async () => {
    const [one, other] = [await newFixture(), await newFixture()];
    await guard(one.caller, 'agent', one.agentId, DENIES);
    await guard(one.caller, 'environment', one.environmentId, DENIES);
    expect((await start(other)).status).toBe('pending');
    expect((await start(other, { entityId: one.agentId })).status).toBe('pending');
    expect(await decisionsOf(other.caller)).toEqual([]);
  });

  it('are stored together with their decision or not at all', async () => {
    const fixture = await newFixture();
    const { caller, agentId } = fixture;
    await guard(caller, 'agent', agentId, ALLOWS);
    const chosen = { executionId: 'chosen' };
    await start(fixture, chosen);
    await expect(start(fixture, chosen)).rejects.toMatchObject({ code: 'execution_id_taken' });
    const transaction = context.database.transaction(async () => {
      await start(fixture);
      throw new Error('rolled back by the caller');
    });
    await expect(transaction).rejects.toThrow('rolled back by the caller');
    expect(await decisionsOf(caller)).toHaveLength(1);
    expect(await countExecutions(caller)).toBe(1);
  });

  it.each(['policy_associations', 'policies', 'policy_decisions'])(
    'do not start while the table %s is unavailable',
    async (table) => {
      const fixture = await newFixture();
      await guard(fixture.caller, 'agent', fixture.agentId, ALLOWS);
      await context.database.sql(`ALTER TABLE ${table} RENAME TO unavailable`);
      try {
        await expect(start(fixture)).rejects.toThrow(`relation "${table}" does not exist`);
      } finally {
        await context.database.sql(`ALTER TABLE unavailable RENAME TO ${table}`);
      }
      expect(await countExecutions(fixture.caller)).toBe(0);
      expect((await start(fixture)).status).toBe('pending');
    },
  );

  it('are denied if more policies apply than can be evaluated, and the decision is recorded', async () => {
    const fixture = await newFixture();
    const { caller, environmentId } = fixture;
    for (let n = 0; n < 2; n += 1) await guard(caller, 'environment', environmentId, ALLOWS);
    const grow = `UPDATE policies SET policy_content = repeat('#', $2) WHERE organization_id = $1`;
    await context.database.sql(grow, [caller.organizationId, DECISION_LIMITS.bytes / 2 + 1]);
    const denial = expect.stringContaining('More policies apply than can be evaluated together');
    const runs = [{}, { entityId: 'not-known-here' }, { entityId: null }];
    for (const run of runs) {
      const execution = await start(fixture, run);
      expect(execution).toMatchObject({ status: 'failed', worker_queue_id: null });
      expect(execution.error_message).toMatch(/^Denied: More policies apply than can be evaluated together: at most/);
    }
    const recorded = await decisionsOf(caller);
    expect(recorded).toHaveLength(runs.length);
    for (const decision of recorded) {
      expect(decision).toMatchObject({ kind: 'execution', allowed: false, violations: [denial], policies: [] });
    }
    const evaluation = { input: {}, policy_ids: [] };
    const evaluated = await decisions.evaluate(caller, 'environment', environmentId, evaluation);
    expect(evaluated).toMatchObject({ allowed: false, violations: [denial], policies: [] });
    const authorization = { action: 'x', resource: null, context: {} };
    const authorized = await decisions.checkAuthorization(caller, 'environment', environmentId, authorization);
    expect(authorized).toMatchObject({ allowed: false, violations: [denial] });
    const replayed = context.get(PolicyReplayService).replay(caller, evaluated.id, null);
    await expect(replayed).rejects.toMatchObject({ code: 'policy_decision_unasked' });
  });

  it('truncate a long reason', async () => {
    const fixture = await newFixture();
    const { caller, agentId } = fixture;
    await guard(
      caller,
      'agent',
      agentId,
      'package a\n\ndeny contains sprintf("%0400d", [n]) if some n in numbers.range(1, 90)',
    );
    const { error_message } = await start(fixture);
    expect(error_message).toHaveLength(2001);
    expect((await decisionsOf(caller))[0]?.violations).toHaveLength(90);
  });
});
