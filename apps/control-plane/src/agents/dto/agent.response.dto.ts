import { OutMany, OutObject, OutObjects, OutString, OutStrings, OutTime } from '@app/http';
import { AGENT_STATUSES } from '@app/agents';
import type { JsonObject } from '@app/kernel';

export class AgentEnvironmentResponse {
  @OutString()
  readonly id!: string;

  @OutString()
  readonly name!: string;

  @OutString()
  readonly display_name!: string;

  @OutString()
  readonly status!: string;
}

export class AgentResponse {
  @OutString()
  readonly id!: string;

  @OutString()
  readonly organization_id!: string;

  @OutString()
  readonly name!: string;

  @OutString({ nullable: true })
  readonly description!: string | null;

  @OutString({ enum: AGENT_STATUSES })
  readonly status!: string;

  @OutString({ nullable: true })
  readonly system_prompt!: string | null;

  @OutStrings()
  readonly capabilities!: readonly string[];

  @OutObject()
  readonly configuration!: JsonObject;

  @OutString({ nullable: true })
  readonly model_id!: string | null;

  @OutObject()
  readonly llm_config!: JsonObject;

  @OutString({ nullable: true })
  readonly runtime!: string | null;

  @OutString({ nullable: true })
  readonly team_id!: string | null;

  @OutStrings()
  readonly environment_ids!: readonly string[];

  @OutStrings()
  readonly skill_ids!: readonly string[];

  @OutObject()
  readonly execution_environment!: JsonObject;

  @OutObject()
  readonly state!: JsonObject;

  @OutObjects()
  readonly projects!: readonly JsonObject[];

  @OutMany(AgentEnvironmentResponse)
  readonly environments!: readonly AgentEnvironmentResponse[];

  @OutObjects()
  readonly skills!: readonly JsonObject[];

  @OutTime({ nullable: true, description: 'When it was last asked to run' })
  readonly last_active_at!: string | null;

  @OutString({ nullable: true })
  readonly error_message!: string | null;

  @OutTime()
  readonly created_at!: string;

  @OutTime()
  readonly updated_at!: string;
}

export class StartedExecutionResponse {
  @OutString()
  readonly execution_id!: string;

  @OutString({ description: "The engine's id of the run" })
  readonly workflow_id!: string;

  @OutString({ description: "The execution's status" })
  readonly status!: string;

  @OutString()
  readonly message!: string;
}
