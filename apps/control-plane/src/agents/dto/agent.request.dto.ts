import { EnumField, ListQuery, ObjectField, OpenObjectField, StringField, StringListField } from '@app/http';
import { AGENT_STATUSES, type AgentStatus } from '@app/agents';
import type { JsonObject } from '@app/kernel';
import { ExecutionEnvironment } from '../../environments/dto/execution-environment.dto.js';

/** It is told with every job of the agent. */
const NAME = { maxLength: 255 };
/** Each is told with its name and state, in every answer that tells of the agent. */
const ENVIRONMENTS = { maxItems: 100, description: 'Ids or names' };

export class CreateAgentRequest {
  @StringField({ required: true, ...NAME, example: 'Release notes writer' })
  readonly name!: string;

  @StringField()
  readonly description?: string | null;

  @StringField()
  readonly system_prompt?: string | null;

  @StringListField({ empty: 'keep' })
  readonly capabilities?: string[];

  @ObjectField({ empty: 'keep' })
  readonly configuration?: JsonObject;

  @StringField({ maxLength: 255, description: 'Id or value of a model' })
  readonly model_id?: string | null;

  @ObjectField({ empty: 'keep', description: 'temperature, max_tokens, … as the model takes them' })
  readonly llm_config?: JsonObject;

  @StringField({ description: 'default, or <vendor>_code' })
  readonly runtime?: string | null;

  @StringField({ maxLength: 255 })
  readonly team_id?: string | null;

  @StringListField({ empty: 'keep', ...ENVIRONMENTS })
  readonly environment_ids?: string[];

  @StringListField({ empty: 'keep' })
  readonly skill_ids?: string[];

  @OpenObjectField(ExecutionEnvironment, {
    empty: 'keep',
    description: 'env_vars, secrets, integration_ids, mcp_servers',
  })
  readonly execution_environment?: JsonObject;
}

export class UpdateAgentRequest {
  @StringField({ empty: 'keep', ...NAME })
  readonly name?: string;

  @StringField()
  readonly description?: string | null;

  @StringField()
  readonly system_prompt?: string | null;

  @StringListField({ empty: 'keep' })
  readonly capabilities?: string[];

  @ObjectField({ empty: 'keep' })
  readonly configuration?: JsonObject;

  @StringField({ maxLength: 255, description: 'Id or value of a model' })
  readonly model_id?: string | null;

  @ObjectField({ empty: 'keep' })
  readonly llm_config?: JsonObject;

  @StringField({ empty: 'keep', description: 'default, or <vendor>_code' })
  readonly runtime?: string;

  @StringField({ maxLength: 255 })
  readonly team_id?: string | null;

  @StringListField({ empty: 'keep', ...ENVIRONMENTS })
  readonly environment_ids?: string[];

  @StringListField({ empty: 'keep' })
  readonly skill_ids?: string[];

  @OpenObjectField(ExecutionEnvironment, {
    empty: 'keep',
    description: 'env_vars, secrets, integration_ids, mcp_servers',
  })
  readonly execution_environment?: JsonObject;

  @EnumField(AGENT_STATUSES, { empty: 'keep' })
  readonly status?: AgentStatus;
}

export class ListAgentsQuery extends ListQuery {
  @EnumField(AGENT_STATUSES, { empty: 'keep', alias: 'status' })
  readonly status_filter?: AgentStatus;
}

export class ExecuteAgentRequest {
  @StringField({ required: true })
  readonly prompt!: string;

  @StringField({
    maxLength: 255,
    description: "Id or name of the queue; without it one of the agent's environments is chosen",
  })
  readonly worker_queue_id?: string | null;

  @StringField({ description: "Used in place of the agent's own" })
  readonly system_prompt?: string | null;

  @StringField({ maxLength: 255 })
  readonly parent_execution_id?: string | null;

  @ObjectField({ empty: 'keep', description: 'Kept in execution_metadata.user_metadata; the user is the key’s owner' })
  readonly user_metadata?: JsonObject;

  @OpenObjectField(ExecutionEnvironment, {
    empty: 'keep',
    description: "Laid over the agent's own; commands in it need agents:write",
  })
  readonly execution_environment?: JsonObject;
}
