import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { comparedVersions, comparing, parsePolicySearch, triedDecision, trying } from './policies.search';

describe('the address of a policy', () => {
  it('names two versions, and keeps the input when they change', () => {
    const version = fc.integer({ min: 1, max: 999_999_999 });
    fc.assert(
      fc.property(version, version, fc.uuid(), (from, to, id) => {
        const search = comparing(trying({}, id), { from, to });
        expect(parsePolicySearch({ ...search })).toEqual(search);
        expect([comparedVersions(search), triedDecision(search)]).toEqual([{ from, to }, id]);
        expect(comparing(search, null)).toEqual({ input: `decision:${id}` });
        expect(trying(search, undefined)).toEqual({ compare: `${from}..${to}` });
      }),
    );
  });

  it.each([
    { compare: '0..1' },
    { compare: '1..' },
    { compare: '1..2..3' },
    { compare: 12 },
    { input: 'decision:' },
    { input: 'execution:0190a000-0000-7000-8000-000000000000' },
    { input: 'decision:../../keys' },
    { other: 'x' },
  ])('drops %j', (search) => {
    expect(parsePolicySearch(search)).toEqual({});
  });
});
