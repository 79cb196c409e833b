import { AgentService } from '@app/agents';
import { mapPageAsync } from '@app/http';
import { getRequired, type Caller, type PageResult } from '@app/kernel';
import { ProjectLookupService, type Project, type ProjectMember } from '@app/projects';
import { TeamService } from '@app/teams';
import { Injectable } from '@nestjs/common';
import { AgentPresenter, mayWriteAgents } from '../agents/agent.presenter.js';
import { TeamPresenter } from '../teams/team.presenter.js';
import type { ProjectAgentResponse, ProjectResponse, ProjectTeamResponse } from './dto/project.response.dto.js';
import { toProjectAgentResponse, toProjectResponse, toProjectTeamResponse } from './project.mapper.js';

/** Composes project responses with the number of their members, with one look-up for any number of projects. */
@Injectable()
export class ProjectPresenter {
  constructor(private readonly members: ProjectLookupService) {}

  async one(caller: Caller, project: Project): Promise<ProjectResponse> {
    const counts = await this.members.countsOf(caller, [project.id]);
    return toProjectResponse(project, getRequired(counts, project.id), mayWriteAgents(caller));
  }

  async page(caller: Caller, listed: PageResult<Project>): Promise<PageResult<ProjectResponse>> {
    return mapPageAsync(listed, async (projects) => {
      const ids = projects.map(({ id }) => id);
      const counts = await this.members.countsOf(caller, ids);
      return projects.map((project) =>
        toProjectResponse(project, getRequired(counts, project.id), mayWriteAgents(caller)),
      );
    });
  }
}

/**
 * Composes memberships with their agents and teams. A membership whose agent or team was deleted after it was read is
 * left out.
 */
@Injectable()
export class ProjectMemberPresenter {
  constructor(
    private readonly agents: AgentService,
    private readonly agentPresenter: AgentPresenter,
    private readonly teams: TeamService,
    private readonly teamPresenter: TeamPresenter,
  ) {}

  async agentsOf(caller: Caller, members: readonly ProjectMember[]): Promise<ProjectAgentResponse[]> {
    const found = await this.agents.byIds(caller, idsOf(members));
    const agents = await this.agentPresenter.many(caller, [...found.values()], mayWriteAgents(caller));
    return withEntities(members, agents, toProjectAgentResponse);
  }

  async teamsOf(caller: Caller, members: readonly ProjectMember[]): Promise<ProjectTeamResponse[]> {
    const found = await this.teams.byIds(caller, idsOf(members));
    const teams = await this.teamPresenter.many(caller, [...found.values()], mayWriteAgents(caller));
    return withEntities(members, teams, toProjectTeamResponse);
  }
}

function idsOf(members: readonly ProjectMember[]): string[] {
  return members.map(({ entity_id }) => entity_id);
}

function withEntities<Entity extends { readonly id: string }, Response>(
  members: readonly ProjectMember[],
  entities: readonly Entity[],
  toResponse: (member: ProjectMember, entity: Entity) => Response,
): Response[] {
  const byId = new Map(entities.map((entity) => [entity.id, entity]));
  return members.flatMap((member) => {
    const entity = byId.get(member.entity_id);
    return entity === undefined ? [] : [toResponse(member, entity)];
  });
}
