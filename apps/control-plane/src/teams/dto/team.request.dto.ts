import { EnumField, ListQuery, ObjectField, OpenObjectField, StringField, StringListField } from '@app/http';
import type { JsonObject } from '@app/kernel';
import { TEAM_STATUSES, type TeamStatus } from '@app/teams';
import { TeamConfiguration } from './team-configuration.dto.js';
import { ExecutionEnvironment } from '../../environments/dto/execution-environment.dto.js';

const RUNTIME = 'Runtime of the leader: default, or <vendor>_code';
const SURROUNDINGS = 'env_vars, secrets, integration_ids, mcp_servers, working_dir';
/** It is told with every job of the team. */
const NAME = { maxLength: 255 };

export class CreateTeamRequest {
  @StringField({ required: true, ...NAME, example: 'Release crew' })
  readonly name!: string;

  @StringField()
  readonly description?: string | null;

  @OpenObjectField(TeamConfiguration, { empty: 'keep' })
  readonly configuration?: JsonObject;

  @StringField({ blank: 'default', description: `${RUNTIME}; "" is default` })
  readonly runtime?: string | null;

  @StringListField({ empty: 'keep' })
  readonly skill_ids?: string[];

  @OpenObjectField(ExecutionEnvironment, { empty: 'keep', description: SURROUNDINGS })
  readonly execution_environment?: JsonObject;
}

export class UpdateTeamRequest {
  @StringField({ empty: 'keep', ...NAME })
  readonly name?: string;

  @StringField()
  readonly description?: string | null;

  @EnumField(TEAM_STATUSES, { empty: 'keep' })
  readonly status?: TeamStatus;

  @OpenObjectField(TeamConfiguration, { empty: 'keep', description: 'Takes the place of the whole' })
  readonly configuration?: JsonObject;

  @StringField({ empty: 'keep', description: RUNTIME })
  readonly runtime?: string;

  @StringListField({ empty: 'keep' })
  readonly skill_ids?: string[];

  @OpenObjectField(ExecutionEnvironment, { empty: 'keep', description: SURROUNDINGS })
  readonly execution_environment?: JsonObject;
}

export class ListTeamsQuery extends ListQuery {
  @EnumField(TEAM_STATUSES, { empty: 'keep', alias: 'status_filter' })
  readonly status?: TeamStatus;
}

export class ExecuteTeamRequest {
  @StringField({ required: true })
  readonly prompt!: string;

  @StringField({
    maxLength: 255,
    description: "Id or name of the queue; without it one of the members' environments is chosen",
  })
  readonly worker_queue_id?: string | null;

  @StringField({ description: "Used in place of the team's instructions" })
  readonly system_prompt?: string | null;

  @StringField({ maxLength: 255 })
  readonly parent_execution_id?: string | null;

  @ObjectField({ empty: 'keep', description: 'Kept in execution_metadata.user_metadata; the user is the key’s owner' })
  readonly user_metadata?: JsonObject;

  @OpenObjectField(ExecutionEnvironment, {
    empty: 'keep',
    description: "Laid over the team's own; commands in it need agents:write",
  })
  readonly execution_environment?: JsonObject;
}
