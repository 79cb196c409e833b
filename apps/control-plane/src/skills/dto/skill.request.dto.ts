import { BooleanField, NamedListQuery, ObjectField, PatchOf, QueryBooleanField, StringField } from '@app/http';
import type { JsonObject } from '@app/kernel';

/** Bounded because every response with an entity that has the skill contains it. */
const NAME = { maxLength: 255 };
const TYPE = { maxLength: 50 };
const ICON = { maxLength: 255 };
const DESCRIPTION = { maxLength: 1000 };
/** An entity has up to 50 skills, and a run reads those of all its layers. */
const MAX_CONFIGURATION_BYTES = 65_536;

export class CreateSkillRequest {
  @StringField({ required: true, ...NAME, example: 'Issue tracker', description: 'Name; need not be unique' })
  readonly name!: string;

  @StringField({
    empty: 'keep',
    ...TYPE,
    default: 'custom',
    example: 'mcp',
    description: 'Type, see `/skills/definitions`; other types are allowed. Default `custom` on creation',
  })
  readonly type?: string;

  @StringField({ ...DESCRIPTION, description: 'Description, as free text, at most 1000 characters' })
  readonly description?: string | null;

  @StringField({ ...ICON, description: 'Name or URL of an icon' })
  readonly icon?: string | null;

  @BooleanField({
    empty: 'keep',
    default: true,
    description: 'Whether runs receive the skill. Default true on creation',
  })
  readonly enabled?: boolean;

  @ObjectField({
    empty: 'keep',
    maxBytes: MAX_CONFIGURATION_BYTES,
    description:
      'Configuration, stored unchanged, at most 64 KiB. `/skills/definitions` has its schema for each type. `***` in `headers` or `env` keeps the stored value of the same name',
  })
  readonly configuration?: JsonObject;
}

export class UpdateSkillRequest extends PatchOf(CreateSkillRequest) {}

export class ListSkillsQuery extends NamedListQuery {
  @StringField({ empty: 'keep', description: 'Type of skill' })
  readonly type?: string;

  @QueryBooleanField({ description: 'Whether the skill is enabled' })
  readonly enabled?: boolean;
}

export class AssociateSkillRequest {
  @StringField({ required: true, ...NAME, description: 'Skill id' })
  readonly skill_id!: string;

  @ObjectField({
    empty: 'keep',
    maxBytes: MAX_CONFIGURATION_BYTES,
    description:
      'Configuration for this entity, at most 64 KiB: its keys override those of the configuration of the skill',
  })
  readonly configuration_override?: JsonObject;
}
