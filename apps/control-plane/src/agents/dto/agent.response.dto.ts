import { ResponseList, ResponseObject, ResponseString, ResponseStringList, ResponseTime } from '@app/http';
import { AGENT_STATUSES } from '@app/agents';
import type { JsonObject } from '@app/kernel';
import { ProjectSummaryResponse } from '../../projects/dto/project-summary.dto.js';
import { SkillSummaryResponse } from '../../skills/dto/skill.response.dto.js';

export class AgentEnvironmentResponse {
  @ResponseString({ description: 'Environment id' })
  readonly id!: string;

  @ResponseString({ description: 'Environment name' })
  readonly name!: string;

  @ResponseString({ description: 'Display name of the environment' })
  readonly display_name!: string;

  @ResponseString({ description: 'Environment status' })
  readonly status!: string;
}

export class AgentResponse {
  @ResponseString()
  readonly id!: string;

  @ResponseString()
  readonly organization_id!: string;

  @ResponseString({ description: 'Name; not necessarily unique' })
  readonly name!: string;

  @ResponseString({ nullable: true })
  readonly description!: string | null;

  @ResponseString({
    enum: AGENT_STATUSES,
    description: 'Status, set by clients: `idle` (default), `running`, `paused`, `completed`, `failed` or `stopped`',
  })
  readonly status!: string;

  @ResponseString({ nullable: true })
  readonly system_prompt!: string | null;

  @ResponseStringList({ description: 'Capabilities, as free text' })
  readonly capabilities!: readonly string[];

  @ResponseObject({ description: 'Free-form configuration' })
  readonly configuration!: JsonObject;

  @ResponseString({ nullable: true })
  readonly model_id!: string | null;

  @ResponseObject()
  readonly llm_config!: JsonObject;

  @ResponseString({
    nullable: true,
    description: 'Runtime id, `default` or `<vendor>_code`; null for the default runtime',
  })
  readonly runtime!: string | null;

  @ResponseString({ nullable: true })
  readonly team_id!: string | null;

  @ResponseStringList()
  readonly environment_ids!: readonly string[];

  @ResponseStringList({ description: 'Ids of the skills of the agent' })
  readonly skill_ids!: readonly string[];

  @ResponseObject()
  readonly execution_environment!: JsonObject;

  @ResponseObject({ description: 'Free-form state' })
  readonly state!: JsonObject;

  @ResponseList(ProjectSummaryResponse, {
    description: 'Projects of the agent, in the order in which it was added to them',
  })
  readonly projects!: readonly ProjectSummaryResponse[];

  @ResponseList(AgentEnvironmentResponse, { description: 'Environments in which the agent runs' })
  readonly environments!: readonly AgentEnvironmentResponse[];

  @ResponseList(SkillSummaryResponse, { description: 'Skills of the agent' })
  readonly skills!: readonly SkillSummaryResponse[];

  @ResponseTime({ nullable: true, description: 'Time of the last start; null if never started' })
  readonly last_active_at!: string | null;

  @ResponseString({ nullable: true })
  readonly error_message!: string | null;

  @ResponseTime()
  readonly created_at!: string;

  @ResponseTime()
  readonly updated_at!: string;
}
