import type { EntityRef, JsonObject } from '@app/kernel';
import type { Skill, SkillSummary } from './skill.types.js';

/** Limited because every response with the entity contains all of its skills. */
export const MAX_SKILLS_PER_ENTITY = 50;

export interface CreateSkillAssociation {
  readonly skill_id: string;
  readonly configuration_override?: JsonObject;
}

/** A skill of an entity. */
export interface SkillAssociation extends EntityRef {
  /** Its keys override those of the skill's configuration. */
  readonly configuration_override: JsonObject;
  readonly created_at: Date;
  readonly skill: Skill;
}

/** The row of an association. */
export interface StoredSkillAssociation extends Omit<SkillAssociation, 'skill'> {
  readonly organization_id: string;
  readonly skill_id: string;
  /** Order of the skills of one entity. */
  readonly position: number;
}

/** The skills of an entity, in order. */
export type SkillsOfEntity = readonly SkillSummary[];
