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

  it('returns the members of a team and all environments: first its own, then those of its members, oldest member first', async () => {
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
      changes: [['team', id], ...members.map((member) => ['agent', member])].map(([kind, changed]) => ({
        ...{ kind, id: changed, updated_by: caller.userId, updated_by_email: null },
        at: expect.any(Date),
      })),
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

  const everything = { environment: ['here'], excluded: [], runtimes: null, words: '', limit: 1000 };

  it('offers teams whose lists of members together exceed the size limit of a read', async () => {
    const caller = testCaller();
    const member_ids = Array.from({ length: 1600 }, (_, n) => String(n).padStart(36, '0'));
    for (let n = 0; n < 150; n += 1) await teams.create(caller, { name: `crew ${n}`, configuration: { member_ids } });
    const listing = [...member_ids, ...member_ids.map((id) => `x${id}`)];
    const larger = await teams.create(caller, { name: 'larger', configuration: { member_ids: listing } });
    const offered = await source.candidates(caller, everything);
    expect(offered).toHaveLength(150);
    expect(await source.candidates(caller, { ...everything, only: { kind: 'team', id: larger.id } })).toEqual([]);
  });

  it('offers teams whose members together exceed the size limit of a read, but not a team whose own members do', async () => {
    const caller = testCaller();
    const capabilities = Array.from({ length: 20 }, (_, n) => `${n}`.padEnd(40_000, 'x'));
    const newTeam = async (name: string, members: number): Promise<void> => {
      const { id } = await teams.create(caller, { name });
      for (let n = 0; n < members; n += 1) {
        await context.get(AgentService).create(caller, { name: 'a', team_id: id, capabilities });
      }
    };
    for (const [name, members] of [
      ['one', 6],
      ['two', 6],
      ['three', 0],
      ['too large', 11],
    ] as const) {
      await newTeam(name, members);
    }
    const names = (await source.candidates(caller, everything)).map(({ name }) => name);
    expect(new Set(names)).toEqual(new Set(['one', 'two', 'three']));
  });

  it('finds teams of the organization of the caller only', async () => {
    const owner = testCaller();
    const { id } = await teams.create(owner, { name: 'crew' });
    expect(await source.namesOf(owner, [id, 'unknown'])).toEqual(new Map([[id, 'crew']]));
    const stranger = testCaller();
    expect(await source.find(stranger, id)).toBeUndefined();
    expect(await source.assemble(stranger, id)).toBeUndefined();
    expect(await source.namesOf(stranger, [id])).toEqual(new Map());
  });
});
