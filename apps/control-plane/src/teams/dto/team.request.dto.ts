import {
  EnumField,
  NamedListQuery,
  ObjectField,
  OpenObjectField,
  PatchOf,
  StringField,
  StringListField,
  UNCHANGED,
  ValidateObject,
} from '@app/http';
import { MULTITASK, RUN_LIMIT_KEYS, startConfigFaults, type Multitask } from '@app/executions';
import type { JsonObject } from '@app/kernel';
import { MAX_SKILLS_PER_ENTITY } from '@app/skills';
import { TEAM_STATUSES, type TeamStatus } from '@app/teams';
import { TeamConfiguration } from './team-configuration.dto.js';
import { MULTITASK_MEANS, RUN_LIMITS } from '../../executions/dto/run-limits.js';
import { ExecutionEnvironment } from '../../environments/dto/execution-environment.dto.js';

const RUNTIME = 'Runtime id of the team leader, `default` or `<vendor>_code`';
/** Bounded because every job of the team returns it. */
const NAME = { maxLength: 255 };

export class CreateTeamRequest {
  @StringField({ required: true, ...NAME, example: 'Release crew', description: 'Name' })
  readonly name!: string;

  @StringField()
  readonly description?: string | null;

  @OpenObjectField(TeamConfiguration, { empty: 'keep', description: 'Configuration of the team, stored unchanged' })
  readonly configuration?: JsonObject;

  @StringField({ blank: 'default', description: `${RUNTIME}. An empty string means \`default\`` })
  readonly runtime?: string | null;

  @StringListField({
    empty: 'keep',
    maxItems: 100,
    description:
      'Ids or names of the environments in which the team runs, besides those of its members, at most 100. ' +
      'Runs prefer the environments of the team itself',
  })
  readonly environment_ids?: string[];

  @StringListField({
    empty: 'keep',
    maxItems: MAX_SKILLS_PER_ENTITY,
    description: 'Ids of the skills of the team, at most 50. They replace its skill associations',
  })
  readonly skill_ids?: string[];

  @OpenObjectField(ExecutionEnvironment, {
    empty: 'keep',
    description: 'Variables, secrets, integrations and MCP servers of the executions of the team',
  })
  readonly execution_environment?: JsonObject;
}

export class UpdateTeamRequest extends PatchOf(CreateTeamRequest, {
  change: {
    configuration: { description: 'Configuration of the team. Replaces the stored one as a whole' },
    runtime: { blank: UNCHANGED, description: RUNTIME },
  },
}) {
  @EnumField(TEAM_STATUSES, {
    empty: 'keep',
    description: 'Status, set by clients: `active` (default), `inactive`, `archived` or `idle`',
  })
  readonly status?: TeamStatus;
}

export class ListTeamsQuery extends NamedListQuery {
  @EnumField(TEAM_STATUSES, { empty: 'keep', alias: 'status_filter', description: 'Team status' })
  readonly status?: TeamStatus;
}

@ValidateObject(({ config }) => startConfigFaults(config, 'config'))
export class ExecuteTeamRequest {
  @StringField({ required: true })
  readonly prompt!: string;

  @StringField({
    maxLength: 255,
    alias: 'worker_queue_name',
    description: 'Worker queue id or name. Default: a queue in one of the environments of the team or its members',
  })
  readonly worker_queue_id?: string | null;

  @StringField({ description: 'System prompt that replaces the instructions of the team' })
  readonly system_prompt?: string | null;

  @StringField({
    maxLength: 255,
    description: 'Session id. The run continues with the earlier messages of the same user in this session',
  })
  readonly session_id?: string | null;

  @EnumField(MULTITASK, { empty: 'keep', description: MULTITASK_MEANS })
  readonly multitask?: Multitask;

  @StringField({ maxLength: 255 })
  readonly parent_execution_id?: string | null;

  @ObjectField({ empty: 'keep', keysWithEffect: RUN_LIMIT_KEYS, description: RUN_LIMITS })
  readonly config?: JsonObject;

  @ObjectField({ empty: 'keep', description: 'Free-form metadata, stored as `execution_metadata.user_metadata`' })
  readonly user_metadata?: JsonObject;

  @OpenObjectField(ExecutionEnvironment, {
    empty: 'keep',
    description:
      'Execution environment of this run. Its values take precedence over those of the team. Commands in it require the scope `agents:write`',
  })
  readonly execution_environment?: JsonObject;
}
