import { AgentService } from '@app/agents';
import { getRequired, type PageResult, type Scope } from '@app/kernel';
import { ProjectMembershipService } from '@app/projects';
import { SkillAssociationService } from '@app/skills';
import type { Team } from '@app/teams';
import { Injectable } from '@nestjs/common';
import { AgentPresenter } from '../agents/agent.presenter.js';
import type { AgentResponse } from '../agents/dto/agent.response.dto.js';
import { toTeamResponse, type TeamView } from './team.mapper.js';
import type { TeamResponse } from './dto/team.response.dto.js';

/** Composes team responses with their members, with one look-up per domain for any number of teams and members. */
@Injectable()
export class TeamPresenter {
  constructor(
    private readonly agents: AgentService,
    private readonly members: AgentPresenter,
    private readonly projects: ProjectMembershipService,
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
    return { ...listed, items: await this.many(scope, listed.items) };
  }

  private async views(scope: Scope, teams: readonly Team[]): Promise<(team: Team) => TeamView> {
    const ids = teams.map(({ id }) => id);
    const [byTeam, projects, skills] = await Promise.all([
      this.agents.byTeamIds(scope, ids),
      this.projects.projectsOf(scope, 'team', ids),
      this.skills.byEntityIds(scope, 'team', ids),
    ]);
    const members = new Map<string, AgentResponse[]>(ids.map((id) => [id, []]));
    for (const member of await this.members.many(scope, [...byTeam.values()].flat())) {
      members.get(member.team_id ?? '')?.push(member);
    }
    return ({ id }) => ({
      agents: getRequired(members, id),
      projects: getRequired(projects, id),
      skills: getRequired(skills, id),
    });
  }
}
