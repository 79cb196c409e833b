import { describe, expect, it } from '@jest/globals';
import { parseEntityType, parseEntityTypeOrPlural } from './entity-ref.js';

const TYPES = ['agent', 'team'] as const;

describe('the type of an entity in a path', () => {
  it('is one of the given ones, in the plural only where that is allowed', () => {
    expect(parseEntityType('team', TYPES)).toBe('team');
    expect(parseEntityTypeOrPlural('team', TYPES)).toBe('team');
    expect(parseEntityTypeOrPlural('teams', TYPES)).toBe('team');
    const notFound = expect.objectContaining({ code: 'entity_type_not_found' });
    expect(() => parseEntityType('teams', TYPES)).toThrow(notFound);
    for (const word of ['teamss', 'project', '', 's']) {
      expect(() => parseEntityTypeOrPlural(word, TYPES)).toThrow(notFound);
    }
  });
});
