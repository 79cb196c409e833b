import { mapPageAsync } from '@app/http';
import { getRequired, type PageResult, type Scope } from '@app/kernel';
import { ProjectLookupService } from '@app/projects';
import { SkillAssociationService } from '@app/skills';
import { TeamMemberService, type Team } from '@app/teams';
import { Injectable } from '@nestjs/common';
import { AgentPresenter } from '../agents/agent.presenter.js';
import type { AgentResponse } from '../agents/dto/agent.response.dto.js';
import { toTeamResponse, type TeamView } from './team.mapper.js';
import type { TeamResponse } from './dto/team.response.dto.js';

/** Composes team responses with their members, with one look-up per domain for any number of teams and members. */
@Injectable()
export class TeamPresenter {
  constructor(
    private readonly members: TeamMemberService,
    private readonly agents: AgentPresenter,
    private readonly projects: ProjectLookupService,
    private readonly skills: SkillAssociationService,
  ) {}

  async one(scope: Scope, team: Team): Promise<TeamResponse> {
    const viewOf = await this.views(scope, [team]);
    return toTeamResponse(team, viewOf(team));
  }

  async many(scope: Scope, teams: readonly Team[]): Promise<TeamResponse[]> {
    const viewOf = await this.views(scope, teams);
    return teams.map((team) => toTeamResponse(team, viewOf(team)));
  }

  async page(scope: Scope, listed: PageResult<Team>): Promise<PageResult<TeamResponse>> {
    return mapPageAsync(listed, (teams) => this.many(scope, teams));
  }

  private async views(scope: Scope, teams: readonly Team[]): Promise<(team: Team) => TeamView> {
    const ids = teams.map(({ id }) => id);
    const [byTeam, projects, skills] = await Promise.all([
      this.members.byTeams(scope, teams),
      this.projects.projectsOf(scope, 'team', ids),
      this.skills.byEntityIds(scope, 'team', ids),
    ]);
    const distinct = new Map([...byTeam.values()].flat().map((agent) => [agent.id, agent]));
    const members = new Map(
      (await this.agents.many(scope, [...distinct.values()])).map((agent): [string, AgentResponse] => [
        agent.id,
        agent,
      ]),
    );
    return ({ id }) => ({
      agents: getRequired(byTeam, id).map((agent) => getRequired(members, agent.id)),
      projects: getRequired(projects, id),
      skills: getRequired(skills, id),
    });
  }
}
