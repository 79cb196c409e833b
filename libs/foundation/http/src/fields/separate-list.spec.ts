import { describe, expect, it } from '@jest/globals';
import { StringField } from './fields.js';
import { withFoundFaults } from './found-faults.js';
import { ignoredFieldsOf } from './ignored-fields.js';
import { parseWire } from './parse.js';
import { SeparateListField, type Separate } from './separate-list.js';
import { InvalidRequest } from '../errors/invalid-request.js';

class Item {
  @StringField({ required: true })
  readonly name!: string;
}

class Sample {
  @SeparateListField(Item, { required: true, maxItems: 3 })
  readonly items!: readonly Separate<Item>[];

  @StringField()
  readonly title?: string | null;
}

function faultsOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return (error as InvalidRequest).faults;
  }
}

describe('SeparateListField', () => {
  it('parses each item by itself, with its place', () => {
    const { items } = parseWire(Sample, { items: [{ name: 'a', other: 1 }, {}, 3] }, 'body');
    expect(items).toEqual([{ value: { name: 'a' } }, { fault: expect.any(InvalidRequest) }, expect.anything()]);
    expect(items.slice(1)).toMatchObject([
      { fault: { faults: [{ loc: ['body', 'items', '1', 'name'], type: 'missing' }] } },
      { fault: { faults: [{ loc: ['body', 'items', '2'], type: 'dict_type' }] } },
    ]);
  });

  it('leaves what was found in an item earlier to that item', () => {
    const fault = { loc: ['body', 'items', '0', 'name'], msg: 'not storable', type: 'value_error' } as const;
    const body = withFoundFaults({ items: [{ name: 'a' }, { name: 'b' }] }, [fault], true);
    expect(parseWire(Sample, body, 'body').items).toMatchObject([
      { fault: { faults: [fault] } },
      { value: { name: 'b' } },
    ]);
    const outside = withFoundFaults({ items: [] }, [{ ...fault, loc: ['body', 'title'] }], true);
    expect(faultsOf(() => parseWire(Sample, outside, 'body'))).toMatchObject([{ loc: ['body', 'title'] }]);
  });

  it('rejects the request without a list, and with one that is too long', () => {
    expect(faultsOf(() => parseWire(Sample, {}, 'body'))).toMatchObject([{ loc: ['body', 'items'], type: 'missing' }]);
    const items = Array.from({ length: 4 }, () => ({ name: 'a' }));
    expect(faultsOf(() => parseWire(Sample, { items }, 'body'))).toMatchObject([{ type: 'too_long' }]);
  });

  it('has its ignored fields named', () => {
    expect(ignoredFieldsOf(Sample, { items: [{ name: 'a' }, { nmae: 'b' }] })).toEqual(['items.1.nmae']);
  });
});
