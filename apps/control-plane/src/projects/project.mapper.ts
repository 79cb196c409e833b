import { presentSecrets, PROJECT_SECRETS, toWireTime, withoutUndefined } from '@app/kernel';
import type { MemberCounts, Project, ProjectFilter, ProjectMember } from '@app/projects';
import type { ListProjectsQuery } from './dto/project.request.dto.js';
import type { AgentResponse } from '../agents/dto/agent.response.dto.js';
import type { TeamResponse } from '../teams/dto/team.response.dto.js';
import type { ProjectAgentResponse, ProjectResponse, ProjectTeamResponse } from './dto/project.response.dto.js';

/** `showSecrets`: whether the reader may write projects. */
export function toProjectResponse(project: Project, counts: MemberCounts, showSecrets: boolean): ProjectResponse {
  return {
    id: project.id,
    organization_id: project.organization_id,
    name: project.name,
    key: project.key,
    description: project.description,
    goals: project.goals,
    status: project.status,
    visibility: project.visibility,
    owner_id: project.owner_id,
    owner_email: project.owner_email,
    default_model: project.default_model,
    settings: presentSecrets(PROJECT_SECRETS, project.settings, showSecrets),
    restrict_to_environment: project.restrict_to_environment,
    policy_ids: project.policy_ids,
    agent_count: counts.get('agent') ?? 0,
    team_count: counts.get('team') ?? 0,
    archived_at: toWireTime(project.archived_at),
    created_at: toWireTime(project.created_at),
    updated_at: toWireTime(project.updated_at),
  };
}

export function toProjectAgentResponse(member: ProjectMember, agent: AgentResponse): ProjectAgentResponse {
  return { ...toMemberFields(member), agent_id: agent.id, agent };
}

export function toProjectTeamResponse(member: ProjectMember, team: TeamResponse): ProjectTeamResponse {
  return { ...toMemberFields(member), team_id: team.id, team };
}

/** The fields that all kinds of members have. */
function toMemberFields(member: ProjectMember): Omit<ProjectAgentResponse, 'agent_id' | 'agent'> {
  const { id, project_id, role, added_at, added_by } = member;
  return { id, project_id, role, added_at: toWireTime(added_at), added_by };
}

export function toProjectFilter({ name, status }: ListProjectsQuery): ProjectFilter {
  return withoutUndefined({ name, status });
}
