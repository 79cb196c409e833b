import type { ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ObjectField, StringField } from './fields.js';
import { ForbidUnknownFields, reportIgnoredFields } from './ignored-fields.js';
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

/** Returns the header that a body gets; undefined if there is none. */
function ignoredIn(shape: new () => object, body: unknown): string | undefined {
  const set: string[] = [];
  const response = { setHeader: (_name: string, value: string) => set.push(value) };
  reportIgnoredFields(shape, body, response as unknown as ServerResponse);
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
});
