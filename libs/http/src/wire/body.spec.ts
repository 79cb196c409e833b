import { describe, expect, it } from '@jest/globals';
import { DomainError } from '@app/kernel';
import { parseJsonBody } from './body.js';
import { WireProblem } from './wire-problem.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const parse = (text: string | Buffer, type = JSON_TYPE): unknown => parseJsonBody(Buffer.from(text), type);

describe('reading a JSON body', () => {
  it('answers undefined for no body, whatever its type', () => {
    expect(parse('', 'text/plain')).toBeUndefined();
  });

  it('refuses another content type', () => {
    expect(() => parse('{}', 'application/x-www-form-urlencoded')).toThrow(WireProblem);
  });

  it('calls malformed JSON and malformed UTF-8 json_invalid', () => {
    expect(typeOf('{"a":')).toBe('json_invalid');
    expect(typeOf(Buffer.from([0x22, 0xff, 0x22]))).toBe('json_invalid');
  });

  it.each([
    ['a NUL character in a value', '{"a":"x\\u0000"}'],
    ['a NUL character in a key', '{"a\\u0000":1}'],
    ['half a surrogate pair', '{"a":"\\ud800"}'],
    ['a prototype key, however deep', '{"a":[{"__proto__":{}}]}'],
    ['a constructor key', '{"constructor":1}'],
    ['a number beyond all numbers', '{"a":1e999}'],
    ['more than 64 levels', '['.repeat(65) + ']'.repeat(65)],
  ])('refuses %s', (_what, text) => {
    expect(typeOf(text)).toBe('value_error');
  });

  it('takes 64 levels, whole surrogate pairs and a body of depth that would exhaust a stack', () => {
    expect(parse('['.repeat(64) + ']'.repeat(64))).toBeDefined();
    expect(parse('{"a":"😀"}')).toEqual({ a: '😀' });
    expect(typeOf('['.repeat(100_000) + ']'.repeat(100_000))).toMatch(/value_error|json_invalid/);
  });
});

function typeOf(text: string | Buffer): string | undefined {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof DomainError) return error.faults[0]?.type;
    throw error;
  }
  return undefined;
}
