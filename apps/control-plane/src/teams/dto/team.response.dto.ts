import { OutMany, OutObject, OutObjects, OutString, OutStrings, OutTime } from '@app/http';
import type { JsonObject } from '@app/kernel';
import { TEAM_STATUSES } from '@app/teams';
import { AgentResponse } from '../../agents/dto/agent.response.dto.js';

export class TeamResponse {
  @OutString()
  readonly id!: string;

  @OutString()
  readonly organization_id!: string;

  @OutString()
  readonly name!: string;

  @OutString({ nullable: true })
  readonly description!: string | null;

  @OutString({ enum: TEAM_STATUSES })
  readonly status!: string;

  @OutObject({ description: 'Exactly as it was sent; instructions it does not have are empty' })
  readonly configuration!: JsonObject;

  @OutMany(AgentResponse, { description: 'The agents whose team_id is this team, oldest first' })
  readonly agents!: readonly AgentResponse[];

  @OutString({ nullable: true, description: 'Runtime of the leader: default, or <vendor>_code' })
  readonly runtime!: string | null;

  @OutObjects()
  readonly projects!: readonly JsonObject[];

  @OutStrings()
  readonly skill_ids!: readonly string[];

  @OutObjects()
  readonly skills!: readonly JsonObject[];

  @OutObject()
  readonly execution_environment!: JsonObject;

  @OutTime()
  readonly created_at!: string;

  @OutTime()
  readonly updated_at!: string;
}
