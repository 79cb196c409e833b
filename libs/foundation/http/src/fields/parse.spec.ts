import { describe, expect, it } from '@jest/globals';
import { ExactNumber } from '@app/kernel';
import {
  AnyField,
  EnumField,
  IntegerField,
  NumberField,
  ObjectField,
  ObjectListField,
  QueryBooleanField,
  QueryIntegerField,
  QueryListField,
  StringField,
  StringListField,
  TimeField,
} from './fields.js';
import { nestedField } from './field.js';
import { OpenObjectField } from './open-object.js';
import { parseWire } from './parse.js';
import { InvalidRequest, type LocatedFault } from '../errors/invalid-request.js';
import { ValidateObject } from './validate-object.js';

class Step {
  @StringField({ required: true })
  readonly name!: string;
}

class Sample {
  @StringField({ required: true, minLength: 2, maxLength: 5, pattern: /^[a-z]+$/, patternMeans: 'lowercase letters' })
  readonly name!: string;

  @StringField()
  readonly description?: string | null;

  @EnumField(['red', 'green'], { empty: 'keep', anyCase: true })
  readonly colour?: string;

  @IntegerField({ min: 1, max: 9 })
  readonly size?: number | null;

  @ObjectField({ empty: 'keep' })
  readonly settings?: object;

  @StringListField({ empty: 'keep' })
  readonly tags?: string[];

  @TimeField()
  readonly at?: Date | null;

  @nestedField(Step, { list: true, maxItems: 3 })
  readonly steps?: Step[];
}

class Llm {
  @IntegerField({ min: 0 })
  readonly max_tokens?: number | null;
}

class Configuration {
  @StringListField()
  readonly member_ids?: string[] | null;

  @OpenObjectField(Llm)
  readonly llm?: object | null;
}

class Configured {
  @OpenObjectField(Configuration, { empty: 'keep' })
  readonly configuration?: object;

  @StringField({ blank: 'default' })
  readonly runtime?: string | null;
}

@ValidateObject(({ from, to }) =>
  Number(from) > Number(to) ? [{ path: ['to'], msg: 'to should not be less than from', type: 'value_error' }] : [],
)
class Range {
  @StringField({ required: true })
  readonly name!: string;

  @IntegerField()
  readonly from?: number | null;

  @IntegerField()
  readonly to?: number | null;
}

class Ranges {
  @nestedField(Range, { list: true, maxItems: 2 })
  readonly ranges?: Range[] | null;

  @nestedField(Ranges, {})
  readonly inner?: Ranges | null;
}

class Aliased {
  @EnumField(['open', 'done'], { empty: 'keep', alias: 'status_filter' })
  readonly status?: string;

  @ObjectField({ empty: 'keep', alias: 'variables' })
  readonly parameters?: object;

  @StringField({ required: true, alias: 'title' })
  readonly name!: string;
}

class Query {
  @StringField({ empty: 'keep' })
  readonly provider?: string;

  @QueryIntegerField({ min: 0 })
  readonly skip?: number;

  @QueryBooleanField()
  readonly enabled?: boolean;

  @QueryListField({ maxItems: 5 })
  readonly kinds?: string[];
}

describe('the pattern of a text', () => {
  it('must be supported in every language unless another one is published', () => {
    for (const pattern of [/^(?!x)/, /^[^]*$/, /\p{Lu}/u, /^[^\0]$/, /(?<name>x)/]) {
      expect(() => StringField({ pattern })).toThrow('is not supported in every language');
      expect(() => StringField({ pattern, publishedPattern: /^x/ })).not.toThrow();
    }
    expect(() => StringField({ pattern: /^(?:[a-z]|\.[^\s/])+$/ })).not.toThrow();
  });
});

describe('a number that no double represents', () => {
  class Measured {
    @IntegerField({ min: 0, max: Number.MAX_SAFE_INTEGER })
    readonly count?: number | null;

    @NumberField({ min: 0 })
    readonly rate?: number | null;

    @ObjectField({ maxBytes: 40 })
    readonly settings?: object | null;

    @ObjectListField()
    readonly items?: object[] | null;

    @AnyField()
    readonly output?: unknown;
  }
  const number = new ExactNumber('9007199254740993');

  it('is a fault of a field that is a number, and of one that is none', () => {
    const sent = { count: number, rate: new ExactNumber('0.12345678901234567'), settings: number, items: [number] };
    expect(
      faultsOf(() => parseWire(Measured, sent, 'body')).map(({ loc, type }) => `${loc.join('.')}: ${type}`),
    ).toEqual([
      'body.count: value_error',
      'body.rate: value_error',
      'body.settings: dict_type',
      'body.items.0: dict_type',
    ]);
    expect(faultsOf(() => parseWire(Measured, number, 'body'))).toMatchObject([{ loc: ['body'], type: 'dict_type' }]);
  });

  it('stays as it is in a free-form value', () => {
    const sent = { settings: { number }, items: [{ number }], output: number, count: 1, rate: 0.1 };
    const parsed = parseWire(Measured, sent, 'body');
    expect(parsed).toEqual(sent);
    expect(parsed.output).toBe(number);
    const long = { settings: { number: new ExactNumber('1'.repeat(40)) } };
    expect(faultsOf(() => parseWire(Measured, long, 'body'))).toMatchObject([{ type: 'too_long' }]);
  });
});

describe('parseWire of a body', () => {
  it('reports every fault at once, with location and type', () => {
    const faults = faultsOf(() =>
      parseWire(
        Sample,
        { name: 'A', colour: 'blue', size: 0, tags: ['x', 3], settings: [], steps: [{ name: 'ok' }, {}] },
        'body',
      ),
    );
    expect(faults.map(({ loc, type }) => `${loc.join('.')}: ${type}`).sort()).toEqual([
      'body.colour: enum',
      'body.name: string_pattern_mismatch',
      'body.name: string_too_short',
      'body.settings: dict_type',
      'body.size: greater_than_equal',
      'body.steps.1.name: missing',
      'body.tags.1: string_type',
    ]);
  });

  it('reports a fault under the name that was sent if a field has an alias', () => {
    const locs = (sent: object): string[] =>
      faultsOf(() => parseWire(Aliased, sent, 'body')).map(({ loc }) => loc.join('.'));
    expect(locs({ status_filter: 'x', variables: 1, title: 2 })).toEqual([
      'body.status_filter',
      'body.variables',
      'body.title',
    ]);
    expect(locs({ status: 'x', status_filter: 'y', parameters: [], variables: {} })).toEqual([
      'body.status',
      'body.parameters',
      'body.name',
    ]);
  });

  it('reports the faults of a rule over several fields together with those of single fields', () => {
    const faults = faultsOf(() => parseWire(Range, { from: 2, to: 1 }, 'body'));
    expect(faults.map(({ loc, type }) => `${loc.join('.')}: ${type}`)).toEqual([
      'body.name: missing',
      'body.to: value_error',
    ]);
    expect({ ...parseWire(Range, { name: 'ab', from: 1, to: 2 }, 'body') }).toEqual({ name: 'ab', from: 1, to: 2 });
  });

  it('applies the rules and the limits of the classes of nested objects', () => {
    const ranges = [{ name: 'ab' }, { name: 'ab', from: 2, to: 1 }];
    const locationsIn = (body: object): string[] =>
      faultsOf(() => parseWire(Ranges, body, 'body')).map(({ loc, type }) => `${loc.join('.')}: ${type}`);
    expect(locationsIn({ ranges, inner: { ranges } })).toEqual([
      'body.ranges.1.to: value_error',
      'body.inner.ranges.1.to: value_error',
    ]);
    expect(locationsIn({ inner: { ranges: [...ranges, {}] } })).toEqual(['body.inner.ranges: too_long']);
  });

  it('reports a single fault for a value of a wrong type', () => {
    expect(faultsOf(() => parseWire(Sample, { name: 7 }, 'body'))).toEqual([
      { loc: ['body', 'name'], msg: 'Input should be a valid string', type: 'string_type' },
    ]);
  });

  it('reports missing for an absent required field, and string_type for null', () => {
    expect(faultsOf(() => parseWire(Sample, {}, 'body')).map(({ type }) => type)).toEqual(['missing']);
    expect(faultsOf(() => parseWire(Sample, { name: null }, 'body')).map(({ type }) => type)).toEqual(['string_type']);
  });

  it('omits unknown fields and keeps absent ones absent', () => {
    expect({ ...parseWire(Sample, { name: 'ab', organization_id: 'x' }, 'body') }).toEqual({ name: 'ab' });
  });

  it('treats null and "" of an optional field as clear or keep, never as a fault', () => {
    const empty = { name: 'ab', description: '', colour: '', size: '', settings: null, tags: '', at: '' };
    expect({ ...parseWire(Sample, empty, 'body') }).toEqual({ name: 'ab', description: null, size: null, at: null });
  });

  it('returns free-form objects unchanged', () => {
    const settings = { b: { list: [{ deep: null }] }, a: 1 };
    expect(parseWire(Sample, { name: 'ab', settings }, 'body').settings).toEqual(settings);
  });

  it('returns open objects unchanged, including unknown keys and the order of keys', () => {
    const configuration = { z: 1, llm: { own: [1], max_tokens: 5 }, member_ids: ['b', 'a'], a: { b: null } };
    const parsed = parseWire(Configured, { configuration }, 'body');
    expect(JSON.stringify(parsed.configuration)).toBe(JSON.stringify(configuration));
  });

  it('checks the known keys of an open object in depth, and treats null and "" as absent', () => {
    const configuration = { llm: { max_tokens: -1 }, member_ids: ['a', 2], other: 'x' };
    const faults = faultsOf(() => parseWire(Configured, { configuration }, 'body'));
    expect(faults.map(({ loc, type }) => `${loc.join('.')}: ${type}`).sort()).toEqual([
      'body.configuration.llm.max_tokens: greater_than_equal',
      'body.configuration.member_ids.1: string_type',
    ]);
    for (const llm of [null, '', { max_tokens: null }, { max_tokens: '' }]) {
      expect({ ...parseWire(Configured, { configuration: { llm } }, 'body') }).toEqual({ configuration: { llm } });
    }
    expect({ ...parseWire(Configured, { configuration: '' }, 'body') }).toEqual({});
    expect(faultsOf(() => parseWire(Configured, { configuration: [] }, 'body'))[0]?.type).toBe('dict_type');
  });

  it('replaces "" by the value that the field declares for it', () => {
    expect({ ...parseWire(Configured, { runtime: '' }, 'body') }).toEqual({ runtime: 'default' });
    expect({ ...parseWire(Configured, { runtime: null }, 'body') }).toEqual({ runtime: null });
  });

  it('accepts an enum value in upper and lower case if the field allows it', () => {
    expect(parseWire(Sample, { name: 'ab', colour: 'RED' }, 'body').colour).toBe('red');
  });

  it('parses a time without an offset as UTC, and rejects invalid times', () => {
    expect(parseWire(Sample, { name: 'ab', at: '2026-01-02T03:04:05' }, 'body').at?.toISOString()).toBe(
      '2026-01-02T03:04:05.000Z',
    );
    expect(faultsOf(() => parseWire(Sample, { name: 'ab', at: '2027-02-29' }, 'body'))[0]?.type).toBe(
      'datetime_parsing',
    );
    expect(parseWire(Sample, { name: 'ab', at: '2028-02-29' }, 'body').at?.toISOString()).toBe(
      '2028-02-29T00:00:00.000Z',
    );
    expect(faultsOf(() => parseWire(Sample, { name: 'ab', at: 'soon' }, 'body'))[0]?.type).toBe('datetime_parsing');
    expect(faultsOf(() => parseWire(Sample, { name: 'ab', at: '2026-13-40T00:00:00Z' }, 'body'))[0]?.type).toBe(
      'datetime_parsing',
    );
  });

  it('rejects a body that is not an object', () => {
    for (const body of [[], 'text', 3])
      expect(faultsOf(() => parseWire(Sample, body, 'body'))[0]?.type).toBe('dict_type');
  });
});

describe('parseWire of a list of objects', () => {
  it.each([5, 'x', null, [{}]])('rejects %j among objects', (item) => {
    const faults = faultsOf(() => parseWire(Sample, { name: 'ok', steps: [{ name: 'ok' }, item] }, 'body'));
    expect(faults).toEqual([{ loc: ['body', 'steps', '1'], msg: 'Input should be a valid object', type: 'dict_type' }]);
  });

  it('treats an empty text as an absent list', () => {
    expect(parseWire(Sample, { name: 'ok', steps: '' }, 'body').steps ?? null).toBeNull();
  });

  it('rejects too many objects before it checks any of them', () => {
    const faults = faultsOf(() => parseWire(Sample, { name: 5, steps: [{}, {}, {}, {}] }, 'body'));
    expect(faults).toEqual([{ loc: ['body', 'steps'], msg: 'List should have at most 3 items', type: 'too_long' }]);
  });
});

describe('parseWire of a query', () => {
  it('parses numbers and booleans from text, in upper and lower case', () => {
    expect({ ...parseWire(Query, { skip: '12', enabled: 'TRUE' }, 'query') }).toEqual({ skip: 12, enabled: true });
    expect(parseWire(Query, { enabled: '0' }, 'query').enabled).toBe(false);
  });

  it('names the parameter that cannot be parsed', () => {
    const faults = faultsOf(() => parseWire(Query, { skip: '1x', enabled: 'maybe' }, 'query'));
    expect(faults.map(({ loc, type }) => `${loc.join('.')}: ${type}`)).toEqual([
      'query.skip: int_parsing',
      'query.enabled: bool_parsing',
    ]);
    expect(faultsOf(() => parseWire(Query, { skip: ['1', '2'] }, 'query'))[0]?.type).toBe('int_parsing');
    expect(faultsOf(() => parseWire(Query, { skip: '-1' }, 'query'))[0]?.type).toBe('greater_than_equal');
  });
});

describe('parseWire of a free-form value', () => {
  it('returns the same object without reading its properties', () => {
    const unseen = {
      get inside(): never {
        throw new Error('a property was read');
      },
    };
    expect(parseWire(Sample, { name: 'abc', settings: unseen }, 'body').settings).toBe(unseen);
  });
});

describe('parseWire of an object with a maximum size', () => {
  class Limited {
    @ObjectField({ maxBytes: 20 })
    readonly settings?: object | null;

    @OpenObjectField(Step, { maxBytes: 20 })
    readonly step?: object | null;
  }

  it('counts the bytes of its JSON', () => {
    expect(parseWire(Limited, { settings: { a: '0123456789ab' }, step: null }, 'body').settings).toBeDefined();
    const tooLarge = { settings: { a: '0123456789äb' }, step: { name: '0123456789a' } };
    const faults = faultsOf(() => parseWire(Limited, tooLarge, 'body'));
    expect(faults.map(({ loc, type, msg }) => [loc, type, msg])).toEqual(
      ['settings', 'step'].map((name) => [['body', name], 'too_long', 'Object should have at most 20 bytes of JSON']),
    );
  });
});

describe('parseWire of a query with NUL', () => {
  it('rejects NUL in declared fields, because no stored text can contain it', () => {
    const faults = faultsOf(() => parseWire(Query, { provider: 'a\u0000' }, 'query'));
    expect(faults.map(({ loc, type }) => [loc, type])).toEqual([[['query', 'provider'], 'value_error']]);
    expect(parseWire(Query, { unknown: 'a\u0000' }, 'query')).toEqual({});
    const listed = faultsOf(() => parseWire(Query, { kinds: 'a,\u0000' }, 'query'));
    expect(listed.map(({ loc, type }) => [loc, type])).toEqual([[['query', 'kinds'], 'value_error']]);
  });
});

function faultsOf(parse: () => unknown): readonly LocatedFault[] {
  try {
    parse();
  } catch (error) {
    if (error instanceof InvalidRequest) return error.faults;
    throw error;
  }
  return [];
}
