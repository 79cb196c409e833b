import {
  BooleanField,
  IntegerField,
  NumberField,
  ObjectField,
  ObjectListField,
  OpenObjectField,
  StringField,
  StringListField,
} from '@app/http';
import type { JsonObject } from '@app/kernel';

class TeamReasoning {
  @BooleanField()
  readonly enabled?: boolean | null;

  @StringField()
  readonly model?: string | null;

  @StringField()
  readonly agent_id?: string | null;

  @IntegerField()
  readonly min_steps?: number | null;

  @IntegerField()
  readonly max_steps?: number | null;
}

class TeamLlm {
  @StringField({ description: 'Id or value of the model the leader uses' })
  readonly model?: string | null;

  @NumberField()
  readonly temperature?: number | null;

  @IntegerField()
  readonly max_tokens?: number | null;

  @NumberField()
  readonly top_p?: number | null;

  @IntegerField()
  readonly top_k?: number | null;

  @StringListField()
  readonly stop?: string[] | null;

  @NumberField()
  readonly frequency_penalty?: number | null;

  @NumberField()
  readonly presence_penalty?: number | null;
}

class TeamSession {
  @StringField()
  readonly user_id?: string | null;

  @StringField()
  readonly session_id?: string | null;

  @BooleanField()
  readonly auto_save?: boolean | null;

  @BooleanField()
  readonly persist?: boolean | null;
}

/** The keys of a team's configuration that have a meaning here; others are kept beside them. */
export class TeamConfiguration {
  @StringListField({ description: 'Kept as a note; the members are the agents whose team_id is the team' })
  readonly member_ids?: string[] | null;

  @StringField({ default: '' })
  readonly instructions?: string | null;

  @OpenObjectField(TeamReasoning)
  readonly reasoning?: JsonObject | null;

  @OpenObjectField(TeamLlm)
  readonly llm?: JsonObject | null;

  @ObjectListField()
  readonly tools?: JsonObject[] | null;

  @ObjectField()
  readonly knowledge_base?: JsonObject | null;

  @OpenObjectField(TeamSession)
  readonly session?: JsonObject | null;

  @ObjectField()
  readonly dependencies?: JsonObject | null;

  @BooleanField()
  readonly markdown?: boolean | null;

  @BooleanField()
  readonly add_datetime_to_instructions?: boolean | null;

  @BooleanField()
  readonly structured_outputs?: boolean | null;

  @StringField()
  readonly response_model?: string | null;

  @BooleanField()
  readonly debug_mode?: boolean | null;

  @BooleanField()
  readonly monitoring?: boolean | null;

  @ObjectField()
  readonly metadata?: JsonObject | null;
}
