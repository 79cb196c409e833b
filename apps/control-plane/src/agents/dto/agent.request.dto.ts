import { AGENT_STATUSES, type AgentStatus } from '@app/agents';
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
import { MULTITASK_MEANS, RUN_LIMITS } from '../../executions/dto/run-limits.js';
import { ExecutionEnvironment } from '../../environments/dto/execution-environment.dto.js';
import { LlmConfig } from '../../models/dto/llm-config.dto.js';

/** Bounded because every job of the agent returns it. */
const NAME = { maxLength: 255 };
/** Bounded because every response with the agent contains each environment. */
const ENVIRONMENTS = {
  maxItems: 100,
  description: 'Ids or names of the environments in which the agent runs, at most 100',
};

export class CreateAgentRequest {
  @StringField({ required: true, ...NAME, example: 'Release notes writer', description: 'Name; need not be unique' })
  readonly name!: string;

  @StringField()
  readonly description?: string | null;

  @StringField()
  readonly system_prompt?: string | null;

  @StringListField({ empty: 'keep', description: 'Capabilities, as free text' })
  readonly capabilities?: string[];

  @ObjectField({ empty: 'keep', description: 'Free-form configuration' })
  readonly configuration?: JsonObject;

  @StringField({ maxLength: 255, description: 'Id or value of a model. Default: the default model' })
  readonly model_id?: string | null;

  @OpenObjectField(LlmConfig, {
    empty: 'keep',
    description: 'Parameters passed to the model, for example `temperature` and `max_tokens`',
  })
  readonly llm_config?: JsonObject;

  @StringField({ description: 'Runtime id, `default` or `<vendor>_code`' })
  readonly runtime?: string | null;

  @StringField({ maxLength: 255, description: 'Id of the team that the agent belongs to' })
  readonly team_id?: string | null;

  @StringListField({ empty: 'keep', ...ENVIRONMENTS })
  readonly environment_ids?: string[];

  @StringListField({
    empty: 'keep',
    maxItems: MAX_SKILLS_PER_ENTITY,
    description: 'Ids of the skills of the agent, at most 50. They replace its skill associations',
  })
  readonly skill_ids?: string[];

  @OpenObjectField(ExecutionEnvironment, {
    empty: 'keep',
    description: 'Variables, secrets, integrations and MCP servers of the executions of the agent',
  })
  readonly execution_environment?: JsonObject;
}

export class UpdateAgentRequest extends PatchOf(CreateAgentRequest, { change: { runtime: { blank: UNCHANGED } } }) {
  @EnumField(AGENT_STATUSES, {
    empty: 'keep',
    description: 'Status, set by clients: `idle` (default), `running`, `paused`, `completed`, `failed` or `stopped`',
  })
  readonly status?: AgentStatus;
}

export class ListAgentsQuery extends NamedListQuery {
  @EnumField(AGENT_STATUSES, { empty: 'keep', alias: 'status', description: 'Agent status' })
  readonly status_filter?: AgentStatus;
}

@ValidateObject(({ config }) => startConfigFaults(config, 'config'))
export class ExecuteAgentRequest {
  @StringField({ required: true })
  readonly prompt!: string;

  @StringField({
    maxLength: 255,
    alias: 'worker_queue_name',
    description: 'Worker queue id or name. Default: a queue of one of the environments of the agent',
  })
  readonly worker_queue_id?: string | null;

  @StringField({ description: 'System prompt that replaces that of the agent' })
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
      'Execution environment of this run. Its values take precedence over those of the agent. Commands in it require the scope `agents:write`',
  })
  readonly execution_environment?: JsonObject;
}
