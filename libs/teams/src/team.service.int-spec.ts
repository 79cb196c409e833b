import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentService } from '@app/agents';
import { EnvironmentService } from '@app/environments';
import { OpenGateModule } from '@app/executions';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { TeamService } from './team.service.js';
import { TeamsModule } from './teams.module.js';

const everything = { skip: 0, limit: 100 };

describe('stored teams', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let teams: TeamService;
  let agents: AgentService;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, TeamsModule], { clock });
    teams = context.get(TeamService);
    agents = context.get(AgentService);
  });

  afterAll(() => context.close());

  it('are made with every default the client left out, and read back the same', async () => {
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
      skill_ids: [],
      execution_environment: {},
      agents: [],
      created_at: clock.now(),
      updated_at: clock.now(),
    });
    expect(await teams.read(caller, created.id)).toEqual(created);
  });

  it('keep their configuration exactly as it was sent, key order included', async () => {
    const caller = testCaller();
    const configuration = { own: [{ z: 1 }], llm: { top_p: 0.5, model: 'm' }, instructions: ' ', a: null };
    const { id } = await teams.create(caller, { name: 'exact', configuration });
    expect(JSON.stringify((await teams.read(caller, id)).configuration)).toBe(JSON.stringify(configuration));
  });

  it('are listed newest first in windows with their members, filtered by status', async () => {
    const caller = testCaller();
    for (const name of ['first', 'second', 'third']) {
      const { id } = await teams.create(caller, { name });
      await agents.create(caller, { name: `of ${name}`, team_id: id });
      if (name !== 'second') await teams.update(caller, id, { status: 'idle' });
      clock.advance(1);
    }
    const { items, total } = await teams.list(caller, { status: 'idle' }, { skip: 1, limit: 5 });
    expect(items.map((team) => [team.name, team.agents.map(({ name }) => name)])).toEqual([['first', ['of first']]]);
    expect(total).toBe(2);
    expect((await teams.list(caller, {}, everything)).items.map(({ name }) => name)).toEqual([
      'third',
      'second',
      'first',
    ]);
    expect(await teams.list(testCaller(), {}, everything)).toEqual({ items: [], total: 0 });
  });

  it('change partially: what is absent stays, null clears, and the time of change moves', async () => {
    const caller = testCaller();
    const before = await teams.create(caller, { name: 'a', description: 'd', configuration: { x: 1 } });
    clock.advance(1);
    const after = await teams.update(caller, before.id, { description: null, skill_ids: ['s'] });
    expect(after).toEqual({ ...before, description: null, skill_ids: ['s'], updated_at: clock.now() });
  });

  it('have the agents as members that name them, however that came about, oldest first', async () => {
    const caller = testCaller();
    const team = await teams.create(caller, { name: 'crew' });
    const added = await agents.create(caller, { name: 'added' });
    clock.advance(1);
    await agents.create(caller, { name: 'born into it', team_id: team.id });
    const grown = await teams.addAgent(caller, team.id, added.id);
    expect(grown.agents.map(({ name }) => name)).toEqual(['added', 'born into it']);
    expect(grown.updated_at).toEqual(clock.now());
    expect(await teams.read(caller, team.id)).toEqual(grown);
    expect((await agents.read(caller, added.id)).team_id).toBe(team.id);
  });

  it('take an agent out of the team it was in, and leave one that is a member already as it is', async () => {
    const caller = testCaller();
    const [old, next] = [await teams.create(caller, { name: 'old' }), await teams.create(caller, { name: 'next' })];
    const agent = await agents.create(caller, { name: 'mover', team_id: old.id });
    clock.advance(1);
    const moved = await teams.addAgent(caller, next.id, agent.id);
    clock.advance(1);
    expect((await teams.addAgent(caller, next.id, agent.id)).agents).toEqual(moved.agents);
    expect((await teams.read(caller, old.id)).agents).toEqual([]);
  });

  it('let go of members only', async () => {
    const caller = testCaller();
    const team = await teams.create(caller, { name: 'crew' });
    const agent = await agents.create(caller, { name: 'a', team_id: team.id });
    expect((await teams.removeAgent(caller, team.id, agent.id)).agents).toEqual([]);
    expect((await agents.read(caller, agent.id)).team_id).toBeNull();
    await expect(teams.removeAgent(caller, team.id, agent.id)).rejects.toThrow('Agent not found');
  });

  it('do not change when the agent to add is unknown or of another organisation', async () => {
    const caller = testCaller();
    const team = await teams.create(caller, { name: 'crew' });
    const theirs = await agents.create(testCaller(), { name: 'theirs' });
    clock.advance(1);
    for (const id of ['nobody', theirs.id]) {
      await expect(teams.addAgent(caller, team.id, id)).rejects.toThrow('Agent not found');
    }
    expect(await teams.read(caller, team.id)).toEqual(team);
  });

  it('leave their members without a team when they are deleted', async () => {
    const caller = testCaller();
    const team = await teams.create(caller, { name: 'crew' });
    const agent = await agents.create(caller, { name: 'a', team_id: team.id });
    await teams.delete(caller, team.id);
    expect((await agents.read(caller, agent.id)).team_id).toBeNull();
    await expect(teams.delete(caller, team.id)).rejects.toThrow('Team not found');
  });

  it('are never left behind in agents that join while the team is deleted', async () => {
    const caller = testCaller();
    for (let round = 0; round < 20; round += 1) {
      const team = await teams.create(caller, { name: 'crew' });
      const agent = await agents.create(caller, { name: 'a' });
      await Promise.allSettled([teams.addAgent(caller, team.id, agent.id), teams.delete(caller, team.id)]);
      expect((await agents.read(caller, agent.id)).team_id).toBeNull();
    }
  });

  it('belong where their members belong, the oldest member first, and are known to them', async () => {
    const caller = testCaller();
    const team = await teams.create(caller, { name: 'crew' });
    const environments = context.get(EnvironmentService);
    const [one, two] = [
      await environments.create(caller, { name: 'one' }),
      await environments.create(caller, { name: 'two' }),
    ];
    for (const environment_ids of [[two.id], [one.id, two.id]]) {
      await agents.create(caller, { name: 'a', team_id: team.id, environment_ids });
      clock.advance(1);
    }
    expect(await teams.environmentIdsOf(caller, team.id)).toEqual([two.id, one.id]);
    const { agents: _members, ...stored } = await teams.read(caller, team.id);
    expect(await teams.teamOf(caller, { team_id: team.id })).toEqual(stored);
    for (const team_id of [null, 'gone']) expect(await teams.teamOf(caller, { team_id })).toBeUndefined();
  });

  it('are listed for their organisation only, whatever keys a filter has beyond its own', async () => {
    const owner = testCaller();
    await teams.create(owner, { name: 'mine' });
    const wide = { status: 'active' as const, organization_id: owner.organizationId, name: 'other' };
    expect(await teams.list(testCaller(), wide, everything)).toEqual({ items: [], total: 0 });
    expect((await teams.list(owner, wide, everything)).total).toBe(1);
  });

  it('are invisible, unchangeable and undeletable from another organisation', async () => {
    const owner = testCaller();
    const stranger = testCaller();
    const { id } = await teams.create(owner, { name: 'mine' });
    const member = await agents.create(owner, { name: 'a', team_id: id });
    const own = await agents.create(stranger, { name: 'own' });
    await expect(teams.read(stranger, id)).rejects.toThrow('Team not found');
    await expect(teams.update(stranger, id, { name: 'taken' })).rejects.toThrow('Team not found');
    await expect(teams.addAgent(stranger, id, own.id)).rejects.toThrow('Team not found');
    await expect(teams.removeAgent(stranger, id, member.id)).rejects.toThrow('Team not found');
    await expect(teams.delete(stranger, id)).rejects.toThrow('Team not found');
    expect(await teams.environmentIdsOf(stranger, id)).toEqual([]);
    expect((await teams.read(owner, id)).agents).toEqual([member]);
  });
});
