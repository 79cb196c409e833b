import { describe, expect, it } from '@jest/globals';
import { ResponseSchema } from './response-schema.js';

const CITY = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

describe('ResponseSchema', () => {
  it('accepts JSON that fits, alone or in a fenced block', () => {
    const schema = new ResponseSchema(CITY);
    expect(schema.check(' {"city": "Rome"} ')).toEqual({ json: '{"city": "Rome"}' });
    expect(schema.check('```json\n{"city": "Rome"}\n```')).toEqual({ json: '{"city": "Rome"}' });
  });

  it('says why an answer does not fit', () => {
    const schema = new ResponseSchema(CITY);
    expect(schema.check('Rome')).toEqual({ fault: 'it is not JSON' });
    expect(schema.check('{"city": 1}')).toEqual({ fault: '/city must be string' });
    expect(schema.check('{}')).toEqual({ fault: "must have required property 'city'" });
  });

  it('rejects schemas that are not valid or refer to others', () => {
    expect(() => new ResponseSchema({ type: 'nothing' })).toThrow('not a valid JSON Schema');
    expect(() => new ResponseSchema({ $ref: 'https://example.com/schema' })).toThrow('not a valid JSON Schema');
  });

  it('checks a schema with `$async` synchronously', () => {
    expect(new ResponseSchema({ $async: true, ...CITY }).check('{}')).toMatchObject({ fault: expect.any(String) });
  });

  it('bounds the time of patterns', () => {
    const schema = new ResponseSchema({ type: 'string', pattern: '^(a+)+$' });
    expect(schema.check('"aaa"')).toEqual({ json: '"aaa"' });
    expect(schema.check(`"${'a'.repeat(50)}b"`)).toEqual({ fault: expect.stringContaining('timed out') });
  });
});
