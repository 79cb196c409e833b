import { entityKeyOf, type EntityRef, type JsonObject } from '@app/kernel';
import type { SkillAssociation } from './skill-association.types.js';

/** A skill of an entity after all layers. */
export interface ResolvedSkill {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly description: string | null;
  readonly icon: string | null;
  readonly enabled: boolean;
  readonly configuration: JsonObject;
  /** The layer from which it comes, for example `team:0198…`. */
  readonly source: string;
  /** False for skills of the entity itself. */
  readonly inherited: boolean;
}

/**
 * Merges the skills of layers. Of several skills with the same name, the skill of the latest layer is returned (within
 * a layer, the last one), at the position of the first. `layers`: the entities in order; `own`: the entity for which
 * the skills are resolved. `associations` of other entities are ignored.
 */
export function mergeSkills(
  layers: readonly EntityRef[],
  own: EntityRef,
  associations: readonly SkillAssociation[],
): ResolvedSkill[] {
  const byEntity = new Map<string, SkillAssociation[]>();
  for (const association of associations) {
    const key = entityKeyOf(association);
    const others = byEntity.get(key);
    if (others === undefined) byEntity.set(key, [association]);
    else others.push(association);
  }
  const byName = new Map<string, ResolvedSkill>();
  for (const layer of layers) {
    const source = entityKeyOf(layer);
    const inherited = source !== entityKeyOf(own);
    for (const { skill, configuration_override } of byEntity.get(source) ?? []) {
      const { id, name, type, description, icon, enabled } = skill;
      const configuration = { ...skill.configuration, ...configuration_override };
      byName.set(name, { id, name, type, description, icon, enabled, configuration, source, inherited });
    }
  }
  return [...byName.values()];
}
