import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentService, type Agent } from '@app/agents';
import { getRequired, type JsonObject, type Scope } from '@app/kernel';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { TeamMemberService } from './team-member.service.js';
import { TeamService } from './team.service.js';
import type { Team } from './team.types.js';
import { TeamsModule } from './teams.module.js';

const FIRST_PAGE = { skip: 0, limit: 100 };

describe('TeamService', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let teams: TeamService;
  let members: TeamMemberService;
  let agents: AgentService;

  beforeAll(async () => {
    context = await createTestContext([TeamsModule], { clock });
    teams = context.get(TeamService);
    members = context.get(TeamMemberService);
    agents = context.get(AgentService);
  });

  afterAll(() => context.close());

  const membersOf = async (scope: Scope, teamId: string): Promise<readonly Agent[]> =>
    getRequired(await agents.membersOf(scope, [{ id: teamId, memberIds: [] }]), teamId);

  it('creates a team with the default of each omitted field', async () => {
    const caller = testCaller();
    const created = await teams.create(caller, { name: 'crew' });
    expect(created).toEqual({
      id: created.id,
      organization_id: caller.organizationId,
      name: 'crew',
      description: null,
      status: 'active',
      configuration: {},
      runtime: null,
      environment_ids: [],
      execution_environment: {},
      created_at: clock.now(),
      updated_at: clock.now(),
      updated_by: caller.userId,
      updated_by_email: caller.userEmail,
    });
    expect(await teams.read(caller, created.id)).toEqual(created);
  });

  it('stores the configuration unchanged, including key order', async () => {
    const caller = testCaller();
    const configuration = { own: [{ z: 1 }], llm: { top_p: 0.5, model: 'm' }, instructions: ' ', a: null };
    const { id } = await teams.create(caller, { name: 'exact', configuration });
    expect(JSON.stringify((await teams.read(caller, id)).configuration)).toBe(JSON.stringify(configuration));
  });

  it('lists teams newest first, by page and status', async () => {
    const caller = testCaller();
    for (const name of ['first', 'second', 'third']) {
      const { id } = await teams.create(caller, { name });
      if (name !== 'second') await teams.update(caller, id, { status: 'idle' });
      clock.advance(1);
    }
    const { items, total } = await teams.list(caller, { status: 'idle' }, { skip: 1, limit: 5 });
    expect(items.map(({ name }) => name)).toEqual(['first']);
    expect(total).toBe(2);
    expect((await teams.list(caller, {}, FIRST_PAGE)).items.map(({ name }) => name)).toEqual([
      'third',
      'second',
      'first',
    ]);
    expect(await teams.list(testCaller(), {}, FIRST_PAGE)).toEqual({ items: [], total: 0 });
  });

  it('updates the given fields and `updated_at` only; null clears a field', async () => {
    const caller = testCaller();
    const before = await teams.create(caller, { name: 'a', description: 'd', configuration: { x: 1 } });
    clock.advance(1);
    const after = await teams.update(caller, before.id, { description: null });
    expect(after).toEqual({ ...before, description: null, updated_at: clock.now() });
  });

  it('has agents that were added and agents that were created with its id as members, oldest first', async () => {
    const caller = testCaller();
    const team = await teams.create(caller, { name: 'crew' });
    const added = await agents.create(caller, { name: 'added' });
    clock.advance(1);
    await agents.create(caller, { name: 'created as member', team_id: team.id });
    const { team: updated } = await members.add(caller, team.id, added.id);
    expect((await membersOf(caller, team.id)).map(({ name }) => name)).toEqual(['added', 'created as member']);
    expect(updated.updated_at).toEqual(clock.now());
    expect(await teams.read(caller, team.id)).toEqual(updated);
    expect((await agents.read(caller, added.id)).team_id).toBe(team.id);
  });

  it('moves an added agent from its previous team and does nothing for a member', async () => {
    const caller = testCaller();
    const [old, next] = [await teams.create(caller, { name: 'old' }), await teams.create(caller, { name: 'next' })];
    const agent = await agents.create(caller, { name: 'mover', team_id: old.id });
    clock.advance(1);
    await members.add(caller, next.id, agent.id);
    const moved = await membersOf(caller, next.id);
    clock.advance(1);
    await members.add(caller, next.id, agent.id);
    expect(moved.map(({ id }) => id)).toEqual([agent.id]);
    expect(await membersOf(caller, next.id)).toEqual(moved);
    expect(await membersOf(caller, old.id)).toEqual([]);
  });

  it('removes a member and rejects removing an agent that is not a member', async () => {
    const caller = testCaller();
    const team = await teams.create(caller, { name: 'crew' });
    const agent = await agents.create(caller, { name: 'a', team_id: team.id });
    expect(await members.remove(caller, team.id, agent.id)).toEqual(team);
    expect(await membersOf(caller, team.id)).toEqual([]);
    expect((await agents.read(caller, agent.id)).team_id).toBeNull();
    await expect(members.remove(caller, team.id, agent.id)).rejects.toThrow('Agent not found');
  });

  it('rejects adding an agent that is unknown or of another organization', async () => {
    const caller = testCaller();
    const team = await teams.create(caller, { name: 'crew' });
    const theirs = await agents.create(testCaller(), { name: 'theirs' });
    clock.advance(1);
    for (const id of ['unknown', theirs.id]) {
      await expect(members.add(caller, team.id, id)).rejects.toThrow('Agent not found');
    }
    expect(await teams.read(caller, team.id)).toEqual(team);
  });

  describe('with agents in `member_ids`', () => {
    const listing = (...member_ids: string[]): { configuration: JsonObject } => ({ configuration: { member_ids } });

    it('has them as members in addition to the agents with its id, each once and oldest first', async () => {
      const caller = testCaller();
      const ids: string[] = [];
      for (const name of ['first', 'second', 'third']) {
        ids.push((await agents.create(caller, { name })).id);
        clock.advance(1);
      }
      const [first = '', second = '', third = ''] = ids;
      const team = await teams.create(caller, { name: 'crew', ...listing(third, first, third) });
      const other = await teams.create(caller, { name: 'other', ...listing(third) });
      const none = await teams.create(caller, { name: 'none' });
      for (const id of [second, third]) await members.add(caller, team.id, id);
      const found = await members.byTeams(caller, [team, other, none]);
      const idsOf = ({ id }: Team): string[] => getRequired(found, id).map((agent) => agent.id);
      expect([team, other, none].map(idsOf)).toEqual([ids, [third], []]);
    });

    it('keeps ids that name no agent of the organization, and ignores them', async () => {
      const caller = testCaller();
      const [one, two] = [await agents.create(caller, { name: 'a' }), await agents.create(caller, { name: 'b' })];
      const theirs = await agents.create(testCaller(), { name: 'theirs' });
      const team = await teams.create(caller, { name: 'crew', ...listing(one.id, theirs.id, two.id, 'gone') });
      await agents.delete(caller, two.id);
      expect(await members.byTeams(caller, [team])).toEqual(new Map([[team.id, [one]]]));
      expect(await teams.read(caller, team.id)).toEqual(team);
    });

    it('also deletes a removed agent from the list', async () => {
      const caller = testCaller();
      const [one, two] = [await agents.create(caller, { name: 'a' }), await agents.create(caller, { name: 'b' })];
      const team = await teams.create(caller, { name: 'crew', ...listing(one.id, two.id) });
      await members.add(caller, team.id, one.id);
      const removed = await members.remove(caller, team.id, one.id);
      expect(removed.configuration).toEqual({ member_ids: [two.id] });
      expect((await agents.read(caller, one.id)).team_id).toBeNull();
    });
  });

  it('leaves the members of a deleted team without a team', async () => {
    const caller = testCaller();
    const team = await teams.create(caller, { name: 'crew' });
    const agent = await agents.create(caller, { name: 'a', team_id: team.id });
    await teams.delete(caller, team.id);
    expect((await agents.read(caller, agent.id)).team_id).toBeNull();
    await expect(teams.delete(caller, team.id)).rejects.toThrow('Team not found');
  });

  it('never leaves an agent in a team that is deleted while the agent is added', async () => {
    const caller = testCaller();
    for (let round = 0; round < 20; round += 1) {
      const team = await teams.create(caller, { name: 'crew' });
      const agent = await agents.create(caller, { name: 'a' });
      await Promise.allSettled([members.add(caller, team.id, agent.id), teams.delete(caller, team.id)]);
      expect((await agents.read(caller, agent.id)).team_id).toBeNull();
    }
  });

  it('lists teams of the organization of the caller only, even if the filter has unknown keys', async () => {
    const owner = testCaller();
    await teams.create(owner, { name: 'mine' });
    const filter = { status: 'active' as const, organization_id: owner.organizationId, id: 'other' };
    expect(await teams.list(testCaller(), filter, FIRST_PAGE)).toEqual({ items: [], total: 0 });
    expect((await teams.list(owner, filter, FIRST_PAGE)).total).toBe(1);
  });

  it('rejects every access to a team of another organization', async () => {
    const owner = testCaller();
    const stranger = testCaller();
    const { id } = await teams.create(owner, { name: 'mine' });
    const member = await agents.create(owner, { name: 'a', team_id: id });
    const own = await agents.create(stranger, { name: 'own' });
    await expect(teams.read(stranger, id)).rejects.toThrow('Team not found');
    await expect(teams.update(stranger, id, { name: 'taken' })).rejects.toThrow('Team not found');
    await expect(members.add(stranger, id, own.id)).rejects.toThrow('Team not found');
    await expect(members.remove(stranger, id, member.id)).rejects.toThrow('Team not found');
    await expect(teams.delete(stranger, id)).rejects.toThrow('Team not found');
    expect(await membersOf(stranger, id)).toEqual([]);
    expect(await membersOf(owner, id)).toEqual([member]);
  });
});
