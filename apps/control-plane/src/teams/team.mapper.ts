import { toWireTime, withoutUndefined } from '@app/kernel';
import type { Team, TeamFilter } from '@app/teams';
import { toAgentResponse } from '../agents/agent.mapper.js';
import type { ListTeamsQuery } from './dto/team.request.dto.js';
import type { TeamResponse } from './dto/team.response.dto.js';

export function toTeamResponse(team: Team): TeamResponse {
  return {
    id: team.id,
    organization_id: team.organization_id,
    name: team.name,
    description: team.description,
    status: team.status,
    configuration: team.configuration,
    agents: team.agents.map(toAgentResponse),
    runtime: team.runtime,
    projects: [],
    skill_ids: team.skill_ids,
    skills: [],
    execution_environment: team.execution_environment,
    created_at: toWireTime(team.created_at),
    updated_at: toWireTime(team.updated_at),
  };
}

export function toTeamFilter({ status }: ListTeamsQuery): TeamFilter {
  return withoutUndefined({ status });
}
