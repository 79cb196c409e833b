import { AgentService } from '@app/agents';
import { getRequired, type PageResult, type Scope } from '@app/kernel';
import { projectMemberNotFound, ProjectLookupService, type Project, type ProjectMember } from '@app/projects';
import { TeamService } from '@app/teams';
import { Injectable } from '@nestjs/common';
import { AgentPresenter } from '../agents/agent.presenter.js';
import { TeamPresenter } from '../teams/team.presenter.js';
import type { ProjectAgentResponse, ProjectResponse, ProjectTeamResponse } from './dto/project.response.dto.js';
import { toMemberFields, toProjectResponse } from './project.mapper.js';

/** Composes project responses with the number of their members, with one look-up for any number of projects. */
@Injectable()
export class ProjectPresenter {
  constructor(private readonly members: ProjectLookupService) {}

  async one(scope: Scope, project: Project): Promise<ProjectResponse> {
    const [response] = await this.many(scope, [project]);
    return response ?? toProjectResponse(project, new Map());
  }

  async page(scope: Scope, listed: PageResult<Project>): Promise<PageResult<ProjectResponse>> {
    return { ...listed, items: await this.many(scope, listed.items) };
  }

  private async many(scope: Scope, projects: readonly Project[]): Promise<ProjectResponse[]> {
    const ids = projects.map(({ id }) => id);
    const counts = await this.members.countsOf(scope, ids);
    return projects.map((project) => toProjectResponse(project, getRequired(counts, project.id)));
  }
}

/**
 * Composes memberships with their agents and teams. A membership whose agent or team was deleted after it was
 * read is left out.
 */
@Injectable()
export class ProjectMemberPresenter {
  constructor(
    private readonly agents: AgentService,
    private readonly agentPresenter: AgentPresenter,
    private readonly teams: TeamService,
    private readonly teamPresenter: TeamPresenter,
  ) {}

  /** Throws `not_found` if the agent was deleted after the membership was read. */
  async agentOf(scope: Scope, member: ProjectMember): Promise<ProjectAgentResponse> {
    const [response] = await this.agentsOf(scope, [member]);
    if (response === undefined) throw projectMemberNotFound('agent');
    return response;
  }

  async agentsOf(scope: Scope, members: readonly ProjectMember[]): Promise<ProjectAgentResponse[]> {
    const found = await this.agents.byIds(scope, idsOf(members));
    const agents = await this.agentPresenter.many(scope, [...found.values()]);
    const byId = new Map(agents.map((agent) => [agent.id, agent]));
    return members.flatMap((member) => {
      const agent = byId.get(member.entity_id);
      return agent === undefined ? [] : { ...toMemberFields(member), agent_id: agent.id, agent };
    });
  }

  /** Throws `not_found` if the team was deleted after the membership was read. */
  async teamOf(scope: Scope, member: ProjectMember): Promise<ProjectTeamResponse> {
    const [response] = await this.teamsOf(scope, [member]);
    if (response === undefined) throw projectMemberNotFound('team');
    return response;
  }

  async teamsOf(scope: Scope, members: readonly ProjectMember[]): Promise<ProjectTeamResponse[]> {
    const found = await this.teams.byIds(scope, idsOf(members));
    const teams = await this.teamPresenter.many(scope, [...found.values()]);
    const byId = new Map(teams.map((team) => [team.id, team]));
    return members.flatMap((member) => {
      const team = byId.get(member.entity_id);
      return team === undefined ? [] : { ...toMemberFields(member), team_id: team.id, team };
    });
  }
}

function idsOf(members: readonly ProjectMember[]): string[] {
  return members.map(({ entity_id }) => entity_id);
}
