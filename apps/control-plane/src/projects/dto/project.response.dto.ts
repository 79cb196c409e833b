import {
  ResponseBoolean,
  ResponseInteger,
  ResponseNested,
  ResponseObject,
  ResponseString,
  ResponseStringList,
  ResponseTime,
} from '@app/http';
import type { JsonObject } from '@app/kernel';
import { PROJECT_STATUSES, PROJECT_VISIBILITIES } from '@app/projects';
import { AgentResponse } from '../../agents/dto/agent.response.dto.js';
import { TeamResponse } from '../../teams/dto/team.response.dto.js';

export class ProjectResponse {
  @ResponseString()
  readonly id!: string;

  @ResponseString()
  readonly organization_id!: string;

  @ResponseString({ description: 'Name; not necessarily unique' })
  readonly name!: string;

  @ResponseString({ description: 'Short key, unique in the organization' })
  readonly key!: string;

  @ResponseString({ nullable: true })
  readonly description!: string | null;

  @ResponseString({ nullable: true, description: 'Goals, as free text' })
  readonly goals!: string | null;

  @ResponseString({
    enum: PROJECT_STATUSES,
    description: 'Status, set by clients: `active` (default), `inactive`, `paused` or `archived`',
  })
  readonly status!: string;

  @ResponseString({ enum: PROJECT_VISIBILITIES, description: 'Intended audience, `private` or `org`' })
  readonly visibility!: string;

  @ResponseString({ nullable: true, description: 'Id of the user who created the project' })
  readonly owner_id!: string | null;

  @ResponseString({ nullable: true, description: 'Email address of the owner when the project was created' })
  readonly owner_email!: string | null;

  @ResponseString({
    nullable: true,
    description:
      'Id or value of the model for agents and teams of the project that name no model; null for the default model',
  })
  readonly default_model!: string | null;

  @ResponseObject({
    description:
      'Settings as sent; see `ProjectSettings`. Without `agents:write`, secret values of `execution_environment` are `***`',
  })
  readonly settings!: JsonObject;

  @ResponseBoolean({
    description: 'Whether its agents and teams run only in the environments of `settings.environment_ids`',
  })
  readonly restrict_to_environment!: boolean;

  @ResponseStringList({ description: 'Ids of policies' })
  readonly policy_ids!: readonly string[];

  @ResponseInteger({ description: 'Number of agents added to the project' })
  readonly agent_count!: number;

  @ResponseInteger({ description: 'Number of teams added to the project' })
  readonly team_count!: number;

  @ResponseTime({ nullable: true, description: 'Time at which the project was archived; null unless it is archived' })
  readonly archived_at!: string | null;

  @ResponseTime()
  readonly created_at!: string;

  @ResponseTime()
  readonly updated_at!: string;
}

class ProjectMemberResponse {
  @ResponseString({ description: 'Id of the membership' })
  readonly id!: string;

  @ResponseString({ description: 'Project id' })
  readonly project_id!: string;

  @ResponseString({ nullable: true, description: 'Role in the project, as free text' })
  readonly role!: string | null;

  @ResponseTime({ description: 'Time of the addition' })
  readonly added_at!: string;

  @ResponseString({ nullable: true, description: 'Id of the user who added it' })
  readonly added_by!: string | null;
}

export class ProjectTeamResponse extends ProjectMemberResponse {
  @ResponseString({ description: 'Team id' })
  readonly team_id!: string;

  @ResponseNested(TeamResponse, { description: 'The team' })
  readonly team!: TeamResponse;
}

export class ProjectAgentResponse extends ProjectMemberResponse {
  @ResponseString({ description: 'Agent id' })
  readonly agent_id!: string;

  @ResponseNested(AgentResponse, { description: 'The agent' })
  readonly agent!: AgentResponse;
}
