import { describe, expect, it } from '@jest/globals';
import { parseEntityType, parseEntityTypeOrPlural } from './entity-ref.js';

const TYPES = ['agent', 'team'] as const;

describe('the type of an entity in a path', () => {
  it('is one of the given ones, in the plural only where that is allowed', () => {
    expect(parseEntityType('team', TYPES)).toBe('team');
    expect(parseEntityTypeOrPlural('team', TYPES)).toBe('team');
    expect(parseEntityTypeOrPlural('teams', TYPES)).toBe('team');
    const msg = "Input should be 'agent' or 'team'";
    const faults = [{ path: ['entity_type'], place: 'path', msg, type: 'enum' }];
    const rejected = expect.objectContaining({ code: 'request_invalid', faults });
    expect(() => parseEntityType('teams', TYPES)).toThrow(rejected);
    for (const word of ['teamss', 'project', '', 's']) {
      expect(() => parseEntityTypeOrPlural(word, TYPES)).toThrow(rejected);
    }
  });
});
