import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentService } from '@app/agents';
import { EnvironmentService, EnvironmentsModule } from '@app/environments';
import { ExecutionsModule } from '@app/executions';
import { OpenGateModule } from '@app/executions/testing';
import type { Caller } from '@app/kernel';
import { ProjectLookupService, ProjectLookupModule } from '@app/projects';
import { SkillAssociationService } from '@app/skills';
import { TeamMemberService, TeamService, TeamsModule } from '@app/teams';
import { createTestContext, ManualClock, statementsOf, testCaller, type TestContext } from '@app/testing';
import { AgentPresenter } from '../agents/agent.presenter.js';
import { TeamPresenter } from './team.presenter.js';

describe('TeamPresenter', () => {
  const clock = new ManualClock();
  const FIRST_PAGE = { skip: 0, limit: 100 };
  let context: TestContext;
  let agents: AgentService;
  let teams: TeamService;
  let presenter: TeamPresenter;

  beforeAll(async () => {
    context = await createTestContext(
      [OpenGateModule, TeamsModule, EnvironmentsModule, ExecutionsModule, ProjectLookupModule],
      { clock },
    );
    agents = context.get(AgentService);
    teams = context.get(TeamService);
    const projects = context.get(ProjectLookupService);
    const skills = context.get(SkillAssociationService);
    const members = new AgentPresenter(context.get(EnvironmentService), projects, skills);
    presenter = new TeamPresenter(context.get(TeamMemberService), members, projects, skills);
  });

  afterAll(() => context.close());

  async function newTeam(caller: Caller, name: string, members: readonly string[]): Promise<string> {
    const { id } = await teams.create(caller, { name });
    for (const member of members) {
      await agents.create(caller, { name: member, team_id: id, environment_ids: ['lab'] });
      clock.advance(1);
    }
    return id;
  }

  it('returns the members of each team, oldest first, with their environments', async () => {
    const caller = testCaller();
    await context.get(EnvironmentService).create(caller, { name: 'lab' });
    const id = await newTeam(caller, 'crew', ['first', 'second']);
    await newTeam(caller, 'other', ['third']);
    await newTeam(caller, 'empty', []);
    const { items, total } = await presenter.page(caller, await teams.list(caller, {}, FIRST_PAGE));
    const namesByTeam = new Map(items.map((team) => [team.name, team.agents.map(({ name }) => name)]));
    expect(total).toBe(3);
    expect(Object.fromEntries(namesByTeam)).toEqual({ crew: ['first', 'second'], other: ['third'], empty: [] });
    const one = await presenter.one(caller, await teams.read(caller, id));
    expect(one.agents.map(({ environments }) => environments.map(({ name }) => name))).toEqual([['lab'], ['lab']]);
  });

  it('needs a fixed number of statements for any number of teams and members', async () => {
    const caller = testCaller();
    await newTeam(caller, 'a', ['a1']);
    await newTeam(caller, 'b', ['b1']);
    const statements = async (): Promise<number> => {
      const listed = await teams.list(caller, {}, FIRST_PAGE);
      return (await statementsOf(() => presenter.page(caller, listed))).length;
    };
    // Not counted: the first call also runs a statement that reads the columns of a table.
    await statements();
    expect(await statements()).toBe(6);
    for (const name of ['c', 'd', 'e']) await newTeam(caller, name, [`${name}1`, `${name}2`]);
    expect(await statements()).toBe(6);
  });
});
