import type { ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { JsonObject } from '@app/kernel';
import { nestedField } from './field.js';
import { ObjectField, StringField } from './fields.js';
import { OpenObjectField } from './open-object.js';
import { ForbidUnknownFields, ignoredFieldsOf, ignoredParametersOf, reportIgnored } from './ignored-fields.js';
import { InvalidRequest } from '../errors/invalid-request.js';
import { parseWire } from './parse.js';
import { PatchOf } from './patch-of.js';

class Create {
  @StringField({ required: true, alias: 'title' })
  readonly name!: string;

  @ObjectField({ empty: 'keep', keysWithEffect: ['temperature', 'seed'] })
  readonly llm_config?: object;
}

class Update extends PatchOf(Create) {}

@ForbidUnknownFields()
class Strict {
  @StringField({ required: true })
  readonly name!: string;
}

class Plain {
  @StringField()
  readonly text?: string | null;

  @OpenObjectField(Create)
  readonly open?: object | null;
}

/** Does not forbid unknown fields, but contains objects that do. */
class Loose {
  @nestedField(Strict, { list: true })
  readonly strict?: Strict[] | null;

  @nestedField(Plain, {})
  readonly plain?: Plain | null;
}

@ForbidUnknownFields()
class Closed {
  @nestedField(Plain, { list: true })
  readonly plain?: Plain[] | null;

  @nestedField(Loose, {})
  readonly loose?: Loose | null;
}

/** Returns the locations of the unknown fields in a body. */
function unknownIn(shape: new () => object, body: object): string[] {
  try {
    parseWire(shape, body, 'body');
  } catch (error) {
    return (error as InvalidRequest).faults.map(({ loc, type }) => `${type} ${loc.join('.')}`);
  }
  return [];
}

class FreeEnvironment {
  @ObjectField({ keysWithEffect: ['a-b'] })
  readonly env?: JsonObject;
}

class FreeForm {
  @OpenObjectField(FreeEnvironment, { isFreeForm: true })
  readonly settings?: JsonObject;
}

class Deep {
  @ObjectField({
    keysWithEffect: {
      timeout_seconds: true,
      retry_policy: { max_attempts: true, backoff: { type: true, delay_seconds: true } },
    },
  })
  readonly config?: JsonObject;
}

/** Returns the header that a body gets; undefined if there is none. */
function ignoredIn(shape: new () => object, body: unknown): string | undefined {
  const set: string[] = [];
  const response = { setHeader: (_name: string, value: string) => set.push(value) };
  reportIgnored(ignoredFieldsOf(shape, body), response as unknown as ServerResponse);
  return set[0];
}

describe('X-Ignored-Fields', () => {
  it('names undeclared fields and unknown keys of configurations, also in an update', () => {
    const body = { title: 'a', model: 'b', llm_config: { temprature: 1, seed: 2 }, params: {} };
    for (const shape of [Create, Update]) expect(ignoredIn(shape, body)).toBe('model, params, llm_config.temprature');
  });

  it('is absent if every field has an effect, and for bodies that are not objects', () => {
    for (const body of [{ name: 'a', llm_config: { seed: 1 } }, {}, undefined, null, [{ model: 1 }], 'text'])
      expect(ignoredIn(Create, body)).toBeUndefined();
  });

  it('has at most 20 names and only characters that a header and a list can contain', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.constant(1), { maxKeys: 40 }), (extra) => {
        const header = ignoredIn(Create, { ...extra, llm_config: extra }) ?? '';
        expect(header).toMatch(/^[!-+\--~]*(, [!-+\--~]*)*$/);
        expect(header.split(', ').length).toBeLessThanOrEqual(20);
      }),
    );
    expect(ignoredIn(Create, { '\ud800, x\r\n': 1 })).toBe('%EF%BF%BD%2C%20x%0D%0A');
  });

  it('names the keys without an effect at any depth of a described configuration', () => {
    const retry_policy = { max_attemps: 1, backoff: { type: 'fixed', delay: 1 }, max_attempts: 2 };
    expect(ignoredIn(Deep, { config: { timeout: 1, retry_policy } })).toBe(
      'config.timeout, config.retry_policy.max_attemps, config.retry_policy.backoff.delay',
    );
    for (const config of [{ retry_policy: 1 }, null, 'text', { timeout_seconds: { any: 1 } }])
      expect(ignoredIn(Deep, { config })).toBeUndefined();
  });

  it('names undeclared fields of the objects in a body, and of those in its lists', () => {
    const strict = [{ name: 'a', extra: 1 }];
    const plain = { text: 'a', txt: 'b', open: { name: 'c', nmae: 'd', llm_config: { sed: 1 } } };
    expect(ignoredIn(Loose, { strict, plain })).toBe(
      'strict.0.extra, plain.txt, plain.open.nmae, plain.open.llm_config.sed',
    );
    expect(ignoredIn(FreeForm, { settings: { anything: 1, env: { 'a-b': 1, other: 2 } } })).toBe('settings.env.other');
    const many = Array.from({ length: 30 }, () => ({ name: 'a', x: 1 }));
    expect(ignoredIn(Loose, { strict: many })?.split(', ')).toHaveLength(20);
  });

  it('names query parameters that neither the class of the query nor another decorator declares', () => {
    const others = new Set(['ticket']);
    expect(ignoredParametersOf(Create, others, '/a?name=x&nmae=1&nmae=2&ticket=t&b%20c=1')).toEqual(['nmae', 'b c']);
    expect(ignoredParametersOf(undefined, others, '/a?name=x')).toEqual(['name']);
    for (const url of ['/a', '/a?', undefined]) expect(ignoredParametersOf(undefined, others, url)).toEqual([]);
  });

  it('is replaced by faults if the request class forbids unknown fields', () => {
    expect(parseWire(Strict, { name: 'a' }, 'body')).toEqual({ name: 'a' });
    expect(() => parseWire(Strict, { name: 'a', scope: [] }, 'body')).toThrow(InvalidRequest);
    try {
      parseWire(Strict, { scope: [] }, 'body');
    } catch (error) {
      expect((error as InvalidRequest).faults).toEqual([
        { loc: ['body', 'scope'], msg: 'Unknown field; known: name', type: 'extra_forbidden' },
        { loc: ['body', 'name'], msg: 'Field required', type: 'missing' },
      ]);
    }
  });

  it('is replaced by faults in nested objects whose class, or the class around them, forbids unknown fields', () => {
    const plain = { text: 'a', odd: 1, open: { odd: 1, llm_config: { odd: 1 } } };
    const loose = { plain, odd: 1, strict: [{ name: 'a' }, { name: 'b', odd: 1 }] };
    expect(unknownIn(Loose, loose)).toEqual(['extra_forbidden body.strict.1.odd']);
    expect(unknownIn(Closed, { plain: [plain, {}], loose, odd: 1 })).toEqual([
      'extra_forbidden body.odd',
      'extra_forbidden body.plain.0.odd',
      'extra_forbidden body.loose.odd',
      'extra_forbidden body.loose.strict.1.odd',
      'extra_forbidden body.loose.plain.odd',
    ]);
    expect(unknownIn(Closed, { plain: null, loose: { strict: 'wrong' } })).toEqual(['list_type body.loose.strict']);
  });
});
