import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import { EnvironmentService } from '@app/environments';
import { ExecutionsModule, type ExecutionType } from '@app/executions';
import { newId, type Caller } from '@app/kernel';
import { TeamService, TeamsModule } from '@app/teams';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import fc from 'fast-check';
import { PoliciesModule } from '../policies.module.js';
import { PolicyAssociationService } from './policy-association.service.js';
import { PolicyResolution } from './policy-resolution.js';
import { PolicyService } from '../policies/policy.service.js';
import {
  DECISION_LIMITS,
  type AppliedPolicies,
  type AppliedPolicy,
  type PolicyEntityType,
} from '../policies/policy.types.js';

describe('the policies that apply', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let resolution: PolicyResolution;
  let policies: PolicyService;
  let associations: PolicyAssociationService;
  let agents: AgentService;
  let teams: TeamService;
  let environments: EnvironmentService;

  beforeAll(async () => {
    context = await createTestContext([AgentsModule, TeamsModule, ExecutionsModule, PoliciesModule], { clock });
    resolution = context.get(PolicyResolution);
    policies = context.get(PolicyService);
    associations = context.get(PolicyAssociationService);
    agents = context.get(AgentService);
    teams = context.get(TeamService);
    environments = context.get(EnvironmentService);
  });

  afterAll(() => context.close());

  /** Creates a policy, associates it with the entity and returns its id. */
  async function guard(
    caller: Caller,
    entity_type: PolicyEntityType,
    entity_id: string,
    name: string,
  ): Promise<string> {
    const { id } = await policies.create(caller, { name });
    await associations.create(caller, { entity_type, entity_id, policy_id: id });
    clock.advance(1);
    return id;
  }

  const names = (applied: AppliedPolicies): string[] =>
    applied === 'tooMany' ? [applied] : applied.map(({ policy_name }) => policy_name);

  it('to an agent are those of its environments, then those of its team, then its own', async () => {
    const caller = testCaller();
    const lab = await environments.create(caller, { name: 'lab' });
    const field = await environments.create(caller, { name: 'field' });
    const other = await environments.create(caller, { name: 'other' });
    const team = await teams.create(caller, { name: 'crew' });
    const agent = await agents.create(caller, { name: 'a', team_id: team.id, environment_ids: [lab.id, 'field'] });
    await agents.create(caller, { name: 'other', team_id: team.id, environment_ids: [other.id] });
    const own = await guard(caller, 'agent', agent.id, 'own');
    await guard(caller, 'team', team.id, 'of the team');
    await guard(caller, 'environment', field.id, 'of the field');
    await guard(caller, 'environment', lab.id, 'of the lab');
    await guard(caller, 'environment', other.id, "of another member's environment");
    const applied = await resolution.resolve(caller, 'agent', agent.id);
    expect(names(applied)).toEqual(['of the field', 'of the lab', 'of the team', 'own']);
    expect(applied[3]).toEqual({
      policy_id: own,
      policy_name: 'own',
      version: 1,
      policy_content: '',
      source: { entity_type: 'agent', entity_id: agent.id },
      sources: [{ entity_type: 'agent', entity_id: agent.id }],
    });
    expect(applied[0]?.source).toEqual({ entity_type: 'environment', entity_id: field.id });
  });

  it("to a team are those of its members' environments, then its own; to an environment, its own", async () => {
    const caller = testCaller();
    const lab = await environments.create(caller, { name: 'lab' });
    const team = await teams.create(caller, { name: 'crew' });
    const member = await agents.create(caller, { name: 'a', team_id: team.id, environment_ids: [lab.id] });
    await guard(caller, 'team', team.id, 'of the team');
    await guard(caller, 'environment', lab.id, 'of the lab');
    await guard(caller, 'agent', member.id, 'of the member');
    expect(names(await resolution.resolve(caller, 'team', team.id))).toEqual(['of the lab', 'of the team']);
    for (const environment of [lab.id, 'lab']) {
      expect(names(await resolution.resolve(caller, 'environment', environment))).toEqual(['of the lab']);
    }
  });

  it('to an execution include those of its assigned environment, once each', async () => {
    const caller = testCaller();
    const lab = await environments.create(caller, { name: 'lab' });
    const field = await environments.create(caller, { name: 'field' });
    const agent = await agents.create(caller, { name: 'a', environment_ids: [lab.id] });
    const team = await teams.create(caller, { name: 'crew' });
    await guard(caller, 'environment', lab.id, 'of the lab');
    await guard(caller, 'environment', field.id, 'of the field');
    const both = ['of the lab', 'of the field'];
    expect(names(await resolution.resolve(caller, 'agent', agent.id))).toEqual(['of the lab']);
    const of = async (
      executionType: ExecutionType,
      entityId: string | null,
      environmentId: string,
    ): Promise<string[]> => names(await resolution.findForRun(caller, { executionType, entityId, environmentId }));
    expect(await of('agent', agent.id, field.id)).toEqual(both);
    expect(await of('agent', agent.id, lab.id)).toEqual(['of the lab']);
    expect(await of('team', team.id, field.id)).toEqual(['of the field']);
    for (const entityId of ['unknown', null])
      expect(await of('workflow', entityId, field.id)).toEqual(['of the field']);
    expect(await of('agent', 'unknown', 'gone')).toEqual([]);
  });

  it('exclude disabled policies and disabled associations', async () => {
    const caller = testCaller();
    const agent = await agents.create(caller, { name: 'a' });
    const off = await guard(caller, 'agent', agent.id, 'off');
    const loose = await guard(caller, 'agent', agent.id, 'loose');
    await guard(caller, 'agent', agent.id, 'on');
    await policies.update(caller, off, { enabled: false });
    const [association] = (await associations.list(caller, { policy_id: loose }, { skip: 0, limit: 1 })).items;
    await associations.update(caller, association?.id ?? '', { enabled: false });
    expect(names(await resolution.resolve(caller, 'agent', agent.id))).toEqual(['on']);
  });

  it('have the current version', async () => {
    const caller = testCaller();
    const agent = await agents.create(caller, { name: 'a' });
    const id = await guard(caller, 'agent', agent.id, 'own');
    await policies.update(caller, id, { policy_content: 'package b' });
    expect(await resolution.resolve(caller, 'agent', agent.id)).toMatchObject([
      { version: 2, policy_content: 'package b' },
    ]);
  });

  it('exclude those of deleted environments, teams and agents', async () => {
    const caller = testCaller();
    const lab = await environments.create(caller, { name: 'lab' });
    const team = await teams.create(caller, { name: 'crew' });
    const agent = await agents.create(caller, { name: 'a', team_id: team.id, environment_ids: [lab.id, 'never'] });
    await guard(caller, 'environment', lab.id, 'of the lab');
    await guard(caller, 'team', team.id, 'of the team');
    await guard(caller, 'agent', agent.id, 'own');
    await agents.update(caller, agent.id, { environment_ids: ['never'] });
    await environments.delete(caller, lab.id);
    await teams.delete(caller, team.id);
    expect(names(await resolution.resolve(caller, 'agent', agent.id))).toEqual(['own']);
    await agents.delete(caller, agent.id);
    await expect(resolution.resolve(caller, 'agent', agent.id)).rejects.toThrow('Agent not found');
  });

  it('cannot be resolved for entities of another organization', async () => {
    const [owner, stranger] = [testCaller(), testCaller()];
    const ids = {
      agent: (await agents.create(owner, { name: 'a' })).id,
      team: (await teams.create(owner, { name: 't' })).id,
      environment: (await environments.create(owner, { name: 'e' })).id,
    };
    for (const [type, name] of [
      ['agent', 'Agent'],
      ['team', 'Team'],
      ['environment', 'Environment'],
    ] as const) {
      for (const id of [ids[type], newId()]) {
        await expect(resolution.resolve(stranger, type, id)).rejects.toThrow(`${name} not found`);
      }
    }
  });

  it('are rejected as a whole if their texts exceed the limit', async () => {
    const caller = testCaller();
    const agent = await agents.create(caller, { name: 'a' });
    for (let n = 0; n < 3; n += 1) await guard(caller, 'agent', agent.id, `p${n}`);
    const grow = (characters: number): Promise<unknown> =>
      context.database.sql(
        `UPDATE policies SET policy_content = repeat('x', $2) WHERE organization_id = $1 AND name <> 'p0'`,
        [caller.organizationId, characters],
      );
    await grow(DECISION_LIMITS.bytes / 2);
    expect(await resolution.resolve(caller, 'agent', agent.id)).toHaveLength(3);
    await grow(DECISION_LIMITS.bytes / 2 + 1);
    await expect(resolution.resolve(caller, 'agent', agent.id)).rejects.toThrow('More policies apply than');
  });

  it('include those written by the current transaction', async () => {
    const caller = testCaller();
    const rolledBack = context.database.transaction(async () => {
      const agent = await agents.create(caller, { name: 'a' });
      await guard(caller, 'agent', agent.id, 'own');
      expect(names(await resolution.resolve(caller, 'agent', agent.id))).toEqual(['own']);
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    expect((await policies.list(caller, {}, { skip: 0, limit: 1 })).total).toBe(0);
  });

  it('equal the result of a naive computation, for any associations', async () => {
    const LEVELS = ['environment', 'environment', 'team', 'agent'] as const;
    const arbitraryAssociation = fc.record({
      target: fc.nat({ max: 3 }),
      policy: fc.nat({ max: 5 }),
      priority: fc.integer({ min: -2, max: 2 }),
      enabled: fc.boolean(),
      /** Whether the association is created in the same millisecond as the previous one. */
      sameTime: fc.boolean(),
    });
    const unique = { selector: ({ target, policy }: { target: number; policy: number }) => `${target} ${policy}` };
    const arbitraryWorld = fc.record({
      associations: fc.uniqueArray(arbitraryAssociation, { ...unique, maxLength: 16 }),
      disabled: fc.array(fc.nat({ max: 5 }), { maxLength: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(arbitraryWorld, async (world) => {
        const caller = testCaller();
        const lab = await environments.create(caller, { name: 'lab' });
        const field = await environments.create(caller, { name: 'field' });
        const team = await teams.create(caller, { name: 't' });
        const environment_ids = [lab.id, field.id];
        const agent = await agents.create(caller, { name: 'a', team_id: team.id, environment_ids });
        const targets = [lab.id, field.id, team.id, agent.id];
        const ids: string[] = [];
        for (let n = 0; n < 6; n += 1) {
          ids.push((await policies.create(caller, { name: `p${n}`, enabled: !world.disabled.includes(n) })).id);
        }
        for (const { target, policy, priority, enabled, sameTime } of world.associations) {
          if (!sameTime) clock.advance(1);
          const entity = { entity_type: LEVELS[target] ?? 'agent', entity_id: targets[target] ?? '' };
          await associations.create(caller, { ...entity, policy_id: ids[policy] ?? '', priority, enabled });
        }
        const expected: string[] = [];
        for (const level of ['environment', 'team', 'agent']) {
          const ofLevel = world.associations.filter(({ target }) => LEVELS[target] === level);
          // The sort is stable: of equal priorities, the older association stays first.
          for (const { target, policy, enabled } of ofLevel.sort((one, other) => other.priority - one.priority)) {
            const seen = expected.some((line) => line.startsWith(`p${policy} `));
            if (enabled && !seen && !world.disabled.includes(policy)) expected.push(`p${policy} ${targets[target]}`);
          }
        }
        const applied = await resolution.resolve(caller, 'agent', agent.id);
        expect(applied.map(({ policy_name, source }) => `${policy_name} ${source.entity_id}`)).toEqual(expected);
      }),
      { numRuns: 30 },
    );
  });
});

describe('narrowing to named policies', () => {
  let context: TestContext;
  let resolution: PolicyResolution;
  let policies: PolicyService;

  beforeAll(async () => {
    context = await createTestContext([AgentsModule, TeamsModule, ExecutionsModule, PoliciesModule]);
    resolution = context.get(PolicyResolution);
    policies = context.get(PolicyService);
  });

  afterAll(() => context.close());

  const requested = { entity_type: 'agent', entity_id: 'me' } as const;
  const inherited = { entity_type: 'team', entity_id: 'us' } as const;

  async function applied(caller: Caller, name: string): Promise<AppliedPolicy> {
    const { id, version, policy_content } = await policies.create(caller, { name });
    return { policy_id: id, policy_name: name, version, policy_content, source: inherited, sources: [inherited] };
  }

  it('returns the named policies that apply in their order, then the other named ones in the given order', async () => {
    const caller = testCaller();
    const all = [await applied(caller, 'a'), await applied(caller, 'b'), await applied(caller, 'c')];
    const loose = await policies.create(caller, { name: 'loose', policy_content: 'package x' });
    const other = await policies.create(caller, { name: 'other' });
    const ids = [other.id, all[2]?.policy_id ?? '', loose.id, all[0]?.policy_id ?? '', other.id];
    const narrowed = await resolution.narrow(caller, all, ids, requested);
    if (narrowed === 'tooMany') throw new Error('too many');
    expect(narrowed.map(({ policy_name }) => policy_name)).toEqual(['a', 'c', 'other', 'loose']);
    expect(narrowed[0]).toEqual(all[0]);
    expect(narrowed[3]).toEqual({
      policy_id: loose.id,
      policy_name: 'loose',
      version: 1,
      policy_content: 'package x',
      source: requested,
      sources: [requested],
    });
  });

  it('returns tooMany if the texts of the named policies together exceed the limit', async () => {
    const caller = testCaller();
    const one = await applied(caller, 'a');
    const loose = await policies.create(caller, { name: 'loose' });
    const off = await policies.create(caller, { name: 'off', enabled: false });
    const grow = `UPDATE policies SET policy_content = repeat('x', $2) WHERE id = ANY($1)`;
    const half = DECISION_LIMITS.bytes / 2;
    await context.database.sql(grow, [[loose.id, off.id], half]);
    const named = [one.policy_id, loose.id, off.id];
    const narrow = async (length: number): Promise<AppliedPolicies> =>
      resolution.narrow(caller, [{ ...one, policy_content: 'x'.repeat(length) }], named, requested);
    expect(await narrow(half)).toHaveLength(2);
    expect(await narrow(half + 1)).toBe('tooMany');
    expect(await resolution.narrow(caller, 'tooMany', named, requested)).toBe('tooMany');
  });

  it('excludes disabled policies, and returns all policies if none is named', async () => {
    const caller = testCaller();
    const one = await applied(caller, 'a');
    const off = await policies.create(caller, { name: 'off', enabled: false });
    expect(await resolution.narrow(caller, [one], [off.id], requested)).toEqual([]);
    expect(await resolution.narrow(caller, [one], [], requested)).toEqual([one]);
  });

  it('rejects policies of another organization and unknown ids', async () => {
    const caller = testCaller();
    const one = await applied(caller, 'a');
    const foreign = await policies.create(testCaller(), { name: 'foreign' });
    for (const id of [foreign.id, newId(), '']) {
      await expect(resolution.narrow(caller, [one], [one.policy_id, id], requested)).rejects.toThrow(
        'Policy not found',
      );
    }
  });
});
