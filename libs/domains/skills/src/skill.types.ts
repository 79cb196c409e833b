import type { JsonObject, Patch } from '@app/kernel';

/** The fields a client can set. */
export interface SkillFields {
  /** Not unique. If two layers have a skill with the same name, the skill of the later layer is used. */
  readonly name: string;
  /** One of `SKILL_DEFINITIONS`, or a type that only workers support. */
  readonly type: string;
  readonly description: string | null;
  readonly icon: string | null;
  /** Workers do not receive a disabled skill. */
  readonly enabled: boolean;
  readonly configuration: JsonObject;
}

export interface Skill extends SkillFields {
  readonly id: string;
  readonly organization_id: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Row of a new skill, without its organization. */
export type NewSkill = Omit<Skill, 'organization_id'>;
export type CreateSkill = Pick<SkillFields, 'name'> & Patch<SkillFields>;
export type UpdateSkill = Patch<SkillFields>;

export interface SkillFilter {
  readonly name?: string;
  readonly type?: string;
  readonly enabled?: boolean;
}

/** The fields of a skill that responses for other resources contain: without its configuration, which has no size limit. */
export type SkillSummary = Pick<Skill, 'id' | 'name' | 'type' | 'description' | 'icon' | 'enabled'>;
