import { ENVIRONMENT_SECRETS, presentSecrets, toWireTime, withoutUndefined } from '@app/kernel';
import type { ProjectSummary } from '@app/projects';
import type { SkillsOfEntity } from '@app/skills';
import type { Team, TeamFilter } from '@app/teams';
import type { AgentResponse } from '../agents/dto/agent.response.dto.js';
import { toProjectSummary } from '../projects/dto/project-summary.dto.js';
import { toSkillSummaryResponse } from '../skills/skill.mapper.js';
import type { ListTeamsQuery } from './dto/team.request.dto.js';
import type { TeamResponse } from './dto/team.response.dto.js';

/** Fields of a team response that other domains own. */
export interface TeamView {
  /** The team's members, oldest first. */
  readonly agents: readonly AgentResponse[];
  /** In the order in which the team was added to them. */
  readonly projects: readonly ProjectSummary[];
  readonly skills: SkillsOfEntity;
  /** Whether the reader may write teams. */
  readonly showSecrets: boolean;
}

export function toTeamResponse(team: Team, view: TeamView): TeamResponse {
  return {
    id: team.id,
    organization_id: team.organization_id,
    name: team.name,
    description: team.description,
    status: team.status,
    configuration: team.configuration,
    agents: view.agents,
    runtime: team.runtime,
    environment_ids: team.environment_ids,
    projects: view.projects.map(toProjectSummary),
    skill_ids: view.skills.map(({ id }) => id),
    skills: view.skills.map(toSkillSummaryResponse),
    execution_environment: presentSecrets(ENVIRONMENT_SECRETS, team.execution_environment, view.showSecrets),
    created_at: toWireTime(team.created_at),
    updated_at: toWireTime(team.updated_at),
  };
}

export function toTeamFilter({ name, status }: ListTeamsQuery): TeamFilter {
  return withoutUndefined({ name, status });
}
