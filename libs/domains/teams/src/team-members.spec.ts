import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { environmentIdsOf, rosterOf } from './team-members.js';

const ids = fc.array(fc.constantFrom('1', '2', '3', '4', '5'), { maxLength: 6 });

describe('environmentIdsOf', () => {
  it('equals a naive model: the environments of the team, then those of each member, without duplicates', () => {
    const members = fc.array(ids, { maxLength: 4 });
    fc.assert(
      fc.property(ids, members, (own, ofMembers) => {
        const union: string[] = [];
        for (const list of [own, ...ofMembers]) for (const id of list) if (!union.includes(id)) union.push(id);
        const given = ofMembers.map((environmentIds) => ({ environmentIds }));
        expect(environmentIdsOf({ environment_ids: own }, given)).toEqual(union);
      }),
    );
  });
});

describe('rosterOf', () => {
  it('lists the texts in member_ids, each once, whatever the configuration is', () => {
    const json = fc.jsonValue();
    fc.assert(
      fc.property(fc.oneof(json, fc.array(fc.oneof(json, fc.constantFrom('a', 'b')))), (member_ids) => {
        const listed: string[] = [];
        for (const id of Array.isArray(member_ids) ? member_ids : []) {
          if (typeof id === 'string' && !listed.includes(id)) listed.push(id);
        }
        expect(rosterOf({ id: 't', configuration: { member_ids } })).toEqual({ id: 't', memberIds: listed });
      }),
    );
  });
});
