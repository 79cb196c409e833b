import { ResponseBoolean, ResponseObject, ResponseString, ResponseTime } from '@app/http';
import type { JsonObject } from '@app/kernel';

/** A skill in the response for an entity that has it. */
export class SkillSummaryResponse {
  @ResponseString({ description: 'Skill id' })
  readonly id!: string;

  @ResponseString({ description: 'Name; not necessarily unique' })
  readonly name!: string;

  @ResponseString({ description: 'Type, see `/skills/definitions`' })
  readonly type!: string;

  @ResponseString({ nullable: true })
  readonly description!: string | null;

  @ResponseString({ nullable: true, description: 'Name or URL of an icon' })
  readonly icon!: string | null;

  @ResponseBoolean({ description: 'Whether runs receive the skill' })
  readonly enabled!: boolean;
}

export class SkillResponse extends SkillSummaryResponse {
  @ResponseString()
  readonly organization_id!: string;

  @ResponseObject({
    description:
      'Configuration as sent. Keys without `agents:write` get `***` in place of the values of `headers` and `env`',
  })
  readonly configuration!: JsonObject;

  @ResponseTime()
  readonly created_at!: string;

  @ResponseTime()
  readonly updated_at!: string;
}

/** A skill of an entity: the skill with the fields of the association. */
export class SkillAssociationResponse extends SkillResponse {
  @ResponseString({ description: 'Kind of the entity: `agent`, `team` or `environment`' })
  readonly entity_type!: string;

  @ResponseString({ description: 'Id of the agent, team or environment' })
  readonly entity_id!: string;

  @ResponseString({ description: 'Skill id, same as `id`' })
  readonly skill_id!: string;

  @ResponseObject({ description: 'Keys that override those of `configuration` for this entity' })
  readonly configuration_override!: JsonObject;

  @ResponseTime({ description: 'Time of the association' })
  readonly associated_at!: string;
}

/** A skill of an agent or a team, its own or an inherited one. */
export class ResolvedSkillResponse extends SkillSummaryResponse {
  @ResponseObject({ description: 'Configuration of the skill with the override of the layer' })
  readonly configuration!: JsonObject;

  @ResponseString({ description: 'Layer that the skill comes from, for example `team:` and the id of the team' })
  readonly source!: string;

  @ResponseBoolean({ description: 'Whether the skill comes from another entity' })
  readonly inherited!: boolean;
}

export class SkillDefinitionResponse {
  @ResponseString({ description: 'Type of skill' })
  readonly type!: string;

  @ResponseString({ description: 'Display name' })
  readonly name!: string;

  @ResponseString({ description: 'Effect on a run' })
  readonly description!: string;

  @ResponseString({ description: 'Name of an icon' })
  readonly icon!: string;

  @ResponseObject({ description: 'JSON Schema of `configuration`; not enforced' })
  readonly configuration_schema!: JsonObject;
}
