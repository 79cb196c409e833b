import { describe, expect, it } from '@jest/globals';
import { entityKeyOf, type EntityRef } from '@app/kernel';
import fc from 'fast-check';
import { mergeLists, orderLayers, type LayerParts } from './layers.js';

const id = fc.constantFrom('1', '2', '3', '4');
const ids = fc.array(id, { maxLength: 6 });
const owner = fc.record({
  entity: id.map((entity_id) => ({ entity_type: 'team', entity_id })),
  environmentIds: ids,
});
const parts: fc.Arbitrary<LayerParts> = fc.record({
  own: fc.constant({ entity_type: 'agent', entity_id: '1' }),
  environmentIds: ids,
  owners: fc.array(owner, { maxLength: 3 }),
  projectIds: ids,
});

/** The rule as the specification states it: each step appends the entities that are not in the list yet. */
function naive({ own, environmentIds, owners, projectIds }: LayerParts): EntityRef[] {
  const layers: EntityRef[] = [];
  const append = (entity_type: string, entity_id: string): void => {
    if (layers.some((layer) => layer.entity_type === entity_type && layer.entity_id === entity_id)) return;
    layers.push({ entity_type, entity_id });
  };
  for (const environment of environmentIds) append('environment', environment);
  for (const { entity, environmentIds: inherited } of owners) {
    append(entity.entity_type, entity.entity_id);
    for (const environment of inherited) append('environment', environment);
  }
  for (const project of projectIds) append('project', project);
  append(own.entity_type, own.entity_id);
  return layers;
}

describe('orderLayers', () => {
  it('equals a naive model', () => {
    fc.assert(fc.property(parts, (given) => expect(orderLayers(given)).toEqual(naive(given))));
  });

  it('contains each entity once and ends with the entity itself', () => {
    fc.assert(
      fc.property(parts, (given) => {
        const keys = orderLayers(given).map(entityKeyOf);
        expect(new Set(keys).size).toBe(keys.length);
        expect(keys.at(-1)).toBe('agent:1');
      }),
    );
  });

  it('places the environments of an agent before its team, and the environments of the team after the team', () => {
    const layers = orderLayers({
      own: { entity_type: 'agent', entity_id: 'a' },
      environmentIds: ['lab'],
      owners: [{ entity: { entity_type: 'team', entity_id: 't' }, environmentIds: ['lab', 'factory'] }],
      projectIds: ['p'],
    });
    const expected = ['environment:lab', 'team:t', 'environment:factory', 'project:p', 'agent:a'];
    expect(layers.map(entityKeyOf)).toEqual(expected);
  });
});

describe('mergeLists', () => {
  it('equals a naive model: first-seen order, without duplicates', () => {
    fc.assert(
      fc.property(fc.array(ids), (lists) => {
        const merged: string[] = [];
        for (const list of lists) for (const value of list) if (!merged.includes(value)) merged.push(value);
        expect(mergeLists(lists)).toEqual(merged);
      }),
    );
  });
});
