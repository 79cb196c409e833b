import {
  BooleanField,
  EnumField,
  NamedListQuery,
  OpenObjectField,
  PatchOf,
  StringField,
  StringListField,
} from '@app/http';
import type { JsonObject } from '@app/kernel';
import { PROJECT_STATUSES, PROJECT_VISIBILITIES, type ProjectStatus, type ProjectVisibility } from '@app/projects';
import { ExecutionEnvironment } from '../../environments/dto/execution-environment.dto.js';

/** Bounded because every agent and team of the project returns it. */
const NAME = { maxLength: 255 };
const ROLE = { maxLength: 255, description: 'Role in the project, as free text' };

/** The known keys of a project's settings; other keys are stored with them. */
class ProjectSettings {
  @StringListField({
    maxItems: 100,
    description: 'Ids or names of the environments that `restrict_to_environment` allows, at most 100',
  })
  readonly environment_ids?: string[] | null;

  @OpenObjectField(ExecutionEnvironment, {
    description: 'Variables, secrets, integrations and MCP servers of the executions of the agents and teams',
  })
  readonly execution_environment?: JsonObject | null;
}

export class CreateProjectRequest {
  @StringField({ required: true, ...NAME, example: 'Mobile app', description: 'Name; need not be unique' })
  readonly name!: string;

  @StringField({
    required: true,
    minLength: 2,
    maxLength: 50,
    example: 'MOBILE',
    description: 'Short key, unique in the organization',
  })
  readonly key!: string;

  @StringField()
  readonly description?: string | null;

  @StringField({ description: 'Goals, as free text' })
  readonly goals?: string | null;

  @EnumField(PROJECT_VISIBILITIES, {
    empty: 'keep',
    default: 'private',
    description: 'Intended audience, `private` or `org`. Default `private` on creation',
  })
  readonly visibility?: ProjectVisibility;

  @StringField({
    maxLength: 255,
    description:
      'Id or value of the model for agents and teams of the project that name no model. Default: the default model',
  })
  readonly default_model?: string | null;

  @OpenObjectField(ProjectSettings, { empty: 'keep', isFreeForm: true, description: 'Settings, stored unchanged' })
  readonly settings?: JsonObject;

  @BooleanField({
    empty: 'keep',
    default: false,
    description:
      'Whether its agents and teams run only in the environments of `settings.environment_ids`. Default false on creation',
  })
  readonly restrict_to_environment?: boolean;

  @StringListField({
    empty: 'keep',
    maxItems: 100,
    description: 'Ids of policies, at most 100. A change requires the scope `admin`',
  })
  readonly policy_ids?: string[];
}

export class UpdateProjectRequest extends PatchOf(CreateProjectRequest, {
  change: { settings: { description: 'Settings. Replaces the stored ones as a whole' } },
}) {
  @EnumField(PROJECT_STATUSES, {
    empty: 'keep',
    description: 'Status, set by clients: `active` (default), `inactive`, `paused` or `archived`',
  })
  readonly status?: ProjectStatus;
}

export class ListProjectsQuery extends NamedListQuery {
  @EnumField(PROJECT_STATUSES, { empty: 'keep', alias: 'status_filter', description: 'Project status' })
  readonly status?: ProjectStatus;
}

export class AddProjectTeamRequest {
  @StringField({ required: true, maxLength: 255, description: 'Team id' })
  readonly team_id!: string;

  @StringField(ROLE)
  readonly role?: string | null;
}

export class AddProjectAgentRequest {
  @StringField({ required: true, maxLength: 255, description: 'Agent id' })
  readonly agent_id!: string;

  @StringField(ROLE)
  readonly role?: string | null;
}
