import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentService } from '@app/agents';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { TeamService } from './team.service.js';
import { AssembledTeam, TeamSource } from './team.source.js';
import { TeamsModule } from './teams.module.js';

describe('TeamSource', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let teams: TeamService;
  let source: TeamSource;

  beforeAll(async () => {
    context = await createTestContext([TeamsModule], { clock });
    teams = context.get(TeamService);
    source = context.get(TeamSource);
  });

  afterAll(() => context.close());

  it('returns its members, and its environments and theirs, its own first, then those of the oldest member', async () => {
    const caller = testCaller();
    const { id } = await teams.create(caller, { name: 'crew', environment_ids: ['own', 'one'] });
    const members: string[] = [];
    for (const environment_ids of [['two'], ['one', 'two']]) {
      const member = await context.get(AgentService).create(caller, { name: 'a', team_id: id, environment_ids });
      members.push(member.id);
      clock.advance(1);
    }
    const expected = {
      kind: 'team',
      id,
      name: 'crew',
      environmentIds: ['own', 'one', 'two'],
      memberOf: [],
      lastActiveAt: null,
      callable: members,
      runtime: 'default',
      calledRuntimes: ['default'],
    };
    expect(await source.find(caller, id)).toEqual(expected);
  });

  it('assembles a team with the model of its LLM settings', async () => {
    const caller = testCaller();
    const team = await teams.create(caller, { name: 'crew', configuration: { llm: { model: 'm' } } });
    expect(await source.assemble(caller, team.id)).toEqual(new AssembledTeam(team));
    expect(new AssembledTeam(team).model).toBe('m');
    for (const configuration of [{}, { llm: null }, { llm: { model: '' } }]) {
      expect(new AssembledTeam({ ...team, configuration }).model).toBeNull();
    }
  });

  it('finds teams of the own organization only', async () => {
    const owner = testCaller();
    const { id } = await teams.create(owner, { name: 'crew' });
    expect(await source.namesOf(owner, [id, 'unknown'])).toEqual(new Map([[id, 'crew']]));
    const stranger = testCaller();
    expect(await source.find(stranger, id)).toBeUndefined();
    expect(await source.assemble(stranger, id)).toBeUndefined();
    expect(await source.namesOf(stranger, [id])).toEqual(new Map());
  });
});
