import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import { EntityContextsModule, EntityContextService } from '@app/entity-contexts';
import { EnvironmentService } from '@app/environments';
import { ExecutionsModule } from '@app/executions';
import type { Caller } from '@app/kernel';
import { ProjectMemberService, ProjectService, ProjectsModule } from '@app/projects';
import { TeamService, TeamsModule } from '@app/teams';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { PolicyDecisionService } from '../decisions/policy-decision.service.js';
import { PoliciesModule } from '../policies.module.js';
import type { PolicyEntityType } from '../policies/policy.types.js';
import { PolicyService } from '../policies/policy.service.js';
import { PolicyAssociationService } from './policy-association.service.js';
import { PolicyReachService } from './policy-reach.service.js';
import { PolicyResolution } from './policy-resolution.js';

describe('the reach of a policy', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let reach: PolicyReachService;
  let caller: Caller;
  let policyId: string;

  beforeAll(async () => {
    const modules = [AgentsModule, TeamsModule, ExecutionsModule, PoliciesModule, ProjectsModule, EntityContextsModule];
    context = await createTestContext(modules, { clock });
    reach = context.get(PolicyReachService);
    caller = testCaller({ scopes: ['admin'] });
    policyId = (await context.get(PolicyService).create(caller, { name: 'guard' })).id;
  });
  afterAll(() => context.close());

  const associate = (entity_type: PolicyEntityType, entity_id: string, enabled = true): Promise<unknown> =>
    context.get(PolicyAssociationService).create(caller, { entity_type, entity_id, policy_id: policyId, enabled });

  const newAgent = async (name: string, fields: object = {}): Promise<string> =>
    (await context.get(AgentService).create(caller, { name, ...fields })).id;

  it('is nothing before anything names the policy', async () => {
    await newAgent('bystander');
    expect(await reach.read(caller, policyId)).toEqual({
      associations: [],
      agents: { total: 0, items: [] },
      last_24h: { decisions: 0, denied: 0 },
    });
    await expect(reach.read(testCaller(), policyId)).rejects.toMatchObject({ code: 'policy_not_found' });
  });

  it('contains exactly the agents to which it applies, each with everything that makes it apply', async () => {
    const environments = context.get(EnvironmentService);
    const { id: staging } = await environments.create(caller, { name: 'staging' });
    const { id: team } = await context.get(TeamService).create(caller, { name: 'writers' });
    const { id: other } = await context.get(TeamService).create(caller, { name: 'readers' });
    const project = await context
      .get(ProjectService)
      .create(caller, { name: 'App', key: 'APP', policy_ids: [policyId] });
    const own = await newAgent('own');
    const member = await newAgent('member', { team_id: team });
    const inStaging = await newAgent('in staging', { environment_ids: ['staging'] });
    const inProject = await newAgent('in project');
    const inContext = await newAgent('in context');
    const inTeamOfProject = await newAgent('of readers', { team_id: other });
    const disabled = await newAgent('disabled');
    await associate('agent', own);
    await associate('team', team);
    await associate('environment', staging);
    await associate('agent', disabled, false);
    await context.get(ProjectMemberService).add(caller, project.id, { member: { kind: 'agent', id: inProject } });
    await context.get(ProjectMemberService).add(caller, project.id, { member: { kind: 'agent', id: own } });
    await context.get(ProjectMemberService).add(caller, project.id, { member: { kind: 'team', id: other } });
    await context.get(EntityContextService).put(caller, 'agent', inContext, { policy_ids: [policyId] });
    const { agents, associations } = await reach.read(caller, policyId);
    const expected: readonly (readonly [string, readonly (readonly [string, string | null])[]])[] = [
      [
        'own',
        [
          ['project', 'App'],
          ['agent', 'own'],
        ],
      ],
      ['member', [['team', 'writers']]],
      ['in staging', [['environment', 'staging']]],
      ['in project', [['project', 'App']]],
      ['in context', [['agent', 'in context']]],
      ['of readers', [['project', 'App']]],
    ];
    const found = agents.items.map(({ name, via }) => [name, via.map((one) => [one.entity_type, one.entity_name])]);
    expect(found).toEqual(expected);
    expect(agents.total).toBe(expected.length);
    expect(associations.map(({ entity_name, enabled }) => [entity_name, enabled])).toEqual([
      ['disabled', false],
      ['staging', true],
      ['writers', true],
      ['own', true],
    ]);
    for (const id of [own, member, inStaging, inProject, inContext, inTeamOfProject, disabled]) {
      const applied = await context.get(PolicyResolution).resolve(caller, 'agent', id);
      const applies = applied.some(({ policy_id }) => policy_id === policyId);
      expect([id, agents.items.some((agent) => agent.id === id)]).toEqual([id, applies]);
    }
  });

  it('counts the decisions of the last 24 hours', async () => {
    const agentId = await newAgent('decided');
    await context.get(PolicyService).update(caller, policyId, {
      policy_content: 'package p\n\nviolations contains "bob" if input.user == "bob"',
    });
    await associate('agent', agentId);
    const decide = (user: string): Promise<unknown> =>
      context.get(PolicyDecisionService).evaluate(caller, 'agent', agentId, { input: { user }, policy_ids: [] });
    await decide('bob');
    clock.advance(23 * 3_600_000);
    await decide('ann');
    await decide('bob');
    expect((await reach.read(caller, policyId)).last_24h).toEqual({ decisions: 3, denied: 2 });
    clock.advance(2 * 3_600_000);
    expect((await reach.read(caller, policyId)).last_24h).toEqual({ decisions: 2, denied: 1 });
  });
});
