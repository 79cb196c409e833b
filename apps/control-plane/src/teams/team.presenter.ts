import { mapPageAsync } from '@app/http';
import { getRequired, type Caller, type PageResult, type Scope } from '@app/kernel';
import { ProjectLookupService } from '@app/projects';
import { SkillAssociationService } from '@app/skills';
import { TeamMemberService, type Team } from '@app/teams';
import { Injectable } from '@nestjs/common';
import { AgentPresenter, mayWriteAgents } from '../agents/agent.presenter.js';
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

  async one(caller: Caller, team: Team): Promise<TeamResponse> {
    const viewOf = await this.views(caller, [team], mayWriteAgents(caller));
    return toTeamResponse(team, viewOf(team));
  }

  /** `showSecrets`: whether the responses contain secret values, see `presentSecrets`. */
  async many(scope: Scope, teams: readonly Team[], showSecrets: boolean): Promise<TeamResponse[]> {
    const viewOf = await this.views(scope, teams, showSecrets);
    return teams.map((team) => toTeamResponse(team, viewOf(team)));
  }

  async page(caller: Caller, listed: PageResult<Team>): Promise<PageResult<TeamResponse>> {
    return mapPageAsync(listed, (teams) => this.many(caller, teams, mayWriteAgents(caller)));
  }

  private async views(scope: Scope, teams: readonly Team[], showSecrets: boolean): Promise<(team: Team) => TeamView> {
    const ids = teams.map(({ id }) => id);
    const [byTeam, projects, skills] = await Promise.all([
      this.members.byTeams(scope, teams),
      this.projects.projectsOf(scope, 'team', ids),
      this.skills.byEntityIds(scope, 'team', ids),
    ]);
    const distinct = new Map([...byTeam.values()].flat().map((agent) => [agent.id, agent]));
    const members = new Map(
      (await this.agents.many(scope, [...distinct.values()], showSecrets)).map((agent): [string, AgentResponse] => [
        agent.id,
        agent,
      ]),
    );
    return ({ id }) => ({
      agents: getRequired(byTeam, id).map((agent) => getRequired(members, agent.id)),
      projects: getRequired(projects, id),
      skills: getRequired(skills, id),
      showSecrets,
    });
  }
}
