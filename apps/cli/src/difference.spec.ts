import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { changedFields, isSame } from './difference.js';
import { Reference } from './documents.js';

describe('the difference between a resource and its file', () => {
  it('has the fields of the file that differ, and no others', () => {
    const current = { id: '1', name: 'a', tags: ['x'], configuration: { limit: 1, note: '' } };
    expect(changedFields({ name: 'a', tags: ['x'], configuration: { limit: 1 } }, current)).toEqual({});
    expect(changedFields({ name: 'b', tags: ['x', 'y'] }, current)).toEqual({ name: 'b', tags: ['x', 'y'] });
  });

  it('has a nested key that was removed from the file', () => {
    const wanted = { configuration: { limit: 1 } };
    expect(changedFields(wanted, { configuration: { limit: 1, model: 'm' } })).toEqual(wanted);
  });

  it('does not have a field that is empty on both sides', () => {
    expect(changedFields({ a: null, b: '', c: [], d: {} }, { b: null, c: {}, d: { e: [] } })).toEqual({});
    expect(changedFields({ a: null, b: false, c: 0 }, { a: 'x', b: null, c: null })).toEqual({
      a: null,
      b: false,
      c: 0,
    });
  });

  it('compares times as instants and other texts as texts', () => {
    expect(isSame('2026-01-01T00:00:00Z', '2026-01-01T01:00:00.000+01:00')).toBe(true);
    expect(isSame('2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z')).toBe(false);
    expect(isSame('2026', '2026.0')).toBe(false);
  });

  it('has references to resources that do not exist yet', () => {
    const entity_id = new Reference('agent', 'greeter');
    expect(changedFields({ entity_id }, { entity_id: 'x' })).toEqual({ entity_id });
  });

  it('is empty for a resource as the platform returned it', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => isSame(value, structuredClone(value))));
  });
});
