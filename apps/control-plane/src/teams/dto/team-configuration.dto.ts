import { MULTITASK, type Multitask } from '@app/executions';
import {
  BooleanField,
  EnumField,
  IntegerField,
  NumberField,
  ObjectField,
  ObjectListField,
  OpenObjectField,
  StringField,
  StringListField,
} from '@app/http';
import type { JsonObject } from '@app/kernel';
import { LlmSettings } from '../../models/dto/llm-config.dto.js';
import { MULTITASK_MEANS } from '../../executions/dto/run-limits.js';

class TeamReasoning {
  @BooleanField({ description: 'Whether the leader thinks before it works. Default false' })
  readonly enabled?: boolean | null;

  @StringField({
    description: 'Id or value of the model that thinks. Default: that of `agent_id`, else that of the team',
  })
  readonly model?: string | null;

  @StringField({ description: 'Id of a member under whose system prompt the leader thinks' })
  readonly agent_id?: string | null;

  @IntegerField({ description: 'Minimum number of thoughts. Default 1' })
  readonly min_steps?: number | null;

  @IntegerField({ description: 'Maximum number of thoughts. Default 10; values above 50 count as 50' })
  readonly max_steps?: number | null;
}

class TeamLlm extends LlmSettings {
  @StringListField({ description: 'Stop sequences' })
  readonly stop?: string[] | null;
}

class TeamSession {
  @StringField()
  readonly user_id?: string | null;

  @StringField()
  readonly session_id?: string | null;

  @EnumField(MULTITASK, { empty: 'keep', description: MULTITASK_MEANS })
  readonly multitask?: Multitask;

  @BooleanField({
    description: 'Whether the conversation is stored during the run; false: only at its end. Default true',
  })
  readonly auto_save?: boolean | null;

  @BooleanField({ description: 'Whether the conversation is stored. Default true' })
  readonly persist?: boolean | null;
}

/** The known keys of a team's configuration; other keys are stored with them. */
export class TeamConfiguration {
  @StringListField({
    maxItems: 1000,
    description:
      'Ids of members besides the agents with the `team_id` of the team, at most 1000. Unknown ids are stored and ignored',
  })
  readonly member_ids?: string[] | null;

  @StringField({ default: '', description: 'Instructions of the team leader. Default empty' })
  readonly instructions?: string | null;

  @IntegerField({ description: 'Maximum number of requests of the leader to its model. Default 20' })
  readonly max_steps?: number | null;

  @NumberField({ description: 'Maximum duration of one tool call in seconds. Default 60' })
  readonly tool_timeout_seconds?: number | null;

  @NumberField({ description: 'Maximum duration of a run in seconds. Default 3600' })
  readonly timeout_seconds?: number | null;

  @BooleanField({ description: 'Whether the leader may ask the user. Default false' })
  readonly ask_user?: boolean | null;

  @OpenObjectField(TeamReasoning, { description: 'Reasoning settings' })
  readonly reasoning?: JsonObject | null;

  @OpenObjectField(TeamLlm, { description: 'Model settings of the team leader' })
  readonly llm?: JsonObject | null;

  @ObjectListField({ description: 'Tools that members may call, as `{"name"}`. Default: all' })
  readonly tools?: JsonObject[] | null;

  @ObjectField({ description: 'Knowledge of the runs of the team: `knowledge_uuids` lists ids of entries' })
  readonly knowledge_base?: JsonObject | null;

  @OpenObjectField(TeamSession, { description: 'Session settings' })
  readonly session?: JsonObject | null;

  @ObjectField({ description: 'Values of the placeholders `{{dependencies.x}}` in `instructions`' })
  readonly dependencies?: JsonObject | null;

  @BooleanField({ description: 'Whether the leader is asked for Markdown' })
  readonly markdown?: boolean | null;

  @BooleanField({ description: 'Whether the time of the start is added to the system prompt of the leader' })
  readonly add_datetime_to_instructions?: boolean | null;

  @BooleanField({ description: 'Whether the answer is JSON that fits `response_model`' })
  readonly structured_outputs?: boolean | null;

  @StringField({ description: 'JSON Schema of the answer as text, or the name of one in `metadata.response_models`' })
  readonly response_model?: string | null;

  @BooleanField({
    description: 'Whether the size and time of each request to a model are published as `metadata` events',
  })
  readonly debug_mode?: boolean | null;

  @BooleanField({ description: 'Whether spans of the run may be recorded. Default true' })
  readonly monitoring?: boolean | null;

  @ObjectField()
  readonly metadata?: JsonObject | null;
}
