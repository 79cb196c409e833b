import { describe, expect, it } from '@jest/globals';
import type { EntityRef } from '@app/kernel';
import fc from 'fast-check';
import type { SkillAssociation } from './skill-association.types.js';
import { mergeSkills } from './skill-layers.js';

const entity: fc.Arbitrary<EntityRef> = fc.record({
  entity_type: fc.constantFrom('environment', 'team', 'agent'),
  entity_id: fc.constantFrom('1', '2'),
});
const configuration = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 0, max: 9 }), { maxKeys: 3 });
const skill = fc.record({
  id: fc.uuid(),
  name: fc.constantFrom('search', 'write', 'constructor'),
  type: fc.constant('custom'),
  description: fc.constant(null),
  icon: fc.constant(null),
  enabled: fc.boolean(),
  configuration,
});
const association: fc.Arbitrary<SkillAssociation> = fc
  .record({ entity, skill, configuration_override: configuration })
  .map(({ entity: ref, skill: fields, configuration_override }) => ({
    ...ref,
    configuration_override,
    created_at: new Date(0),
    skill: { ...fields, organization_id: 'o', created_at: new Date(0), updated_at: new Date(0) },
  }));
const layersOf = fc.uniqueArray(entity, { selector: (ref) => `${ref.entity_type}:${ref.entity_id}`, minLength: 1 });

/** The rule as the specification states it: for each name, the last layer with a skill of this name decides. */
function naive(
  layers: readonly EntityRef[],
  own: EntityRef,
  associations: readonly SkillAssociation[],
): Record<string, unknown>[] {
  const inOrder = layers.flatMap((layer) =>
    associations.filter((one) => one.entity_type === layer.entity_type && one.entity_id === layer.entity_id),
  );
  const names = [...new Set(inOrder.map(({ skill: { name } }) => name))];
  return names.map((name) => {
    const last = inOrder.findLast((one) => one.skill.name === name);
    if (last === undefined) throw new Error('a name without a skill');
    const { id, type, description, icon, enabled } = last.skill;
    return {
      ...{ id, name, type, description, icon, enabled },
      configuration: Object.assign({}, last.skill.configuration, last.configuration_override) as unknown,
      source: `${last.entity_type}:${last.entity_id}`,
      inherited: last.entity_type !== own.entity_type || last.entity_id !== own.entity_id,
    };
  });
}

describe('mergeSkills', () => {
  it('equals a naive model', () => {
    fc.assert(
      fc.property(layersOf, fc.array(association, { maxLength: 12 }), (layers, associations) => {
        const own = layers.at(-1);
        if (own === undefined) throw new Error('no layer');
        expect(mergeSkills(layers, own, associations)).toEqual(naive(layers, own, associations));
      }),
    );
  });

  it('ignores the order in which the associations of different entities arrive', () => {
    fc.assert(
      fc.property(layersOf, fc.array(association, { maxLength: 8 }), (layers, associations) => {
        const own = layers[0];
        if (own === undefined) throw new Error('no layer');
        const grouped = layers
          .toReversed()
          .flatMap((layer) =>
            associations.filter((one) => one.entity_type === layer.entity_type && one.entity_id === layer.entity_id),
          );
        expect(mergeSkills(layers, own, grouped)).toEqual(mergeSkills(layers, own, associations));
      }),
    );
  });
});
