import { describe, expect, it } from '@jest/globals';
import { DomainError, type Fault } from '@app/kernel';
import { parseJsonBody, readJson } from './body.js';
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

describe('a body with faults that is looked at for more of them', () => {
  it('has no forbidden keys left', () => {
    const text = '{"a":{"constructor":1,"b":[{"__proto__":{"c":2},"d":"\\u0000"}]}}';
    const { value, faults } = readJson(Buffer.from(text), JSON_TYPE);
    expect(value).toEqual({ a: { b: [{ d: '\0' }] } });
    expect(faults).toHaveLength(3);
  });

  it('is not looked at where it has as many faults as are told', () => {
    const text = `[${'{"constructor":1},'.repeat(2000)}0]`;
    expect(() => readJson(Buffer.from(text), JSON_TYPE)).toThrow(DomainError);
  });
});

describe('reading a body made to be costly', () => {
  it('tells each fault where it is, in the order of the document', () => {
    const text = '{"a":[0,"\\u0000",{"b":1e999}],"c":{"constructor":1,"\\u0000":2},"d":"\\ud800"}';
    expect(faultsOf(text).map(({ loc }) => loc.join('.'))).toEqual([
      'body.a.1',
      'body.a.2.b',
      'body.c.constructor',
      'body.c',
      'body.d',
    ]);
    expect(faultsOf('"\\u0000"')[0]?.loc).toEqual(['body']);
  });

  it('tells no more than a thousand faults', () => {
    expect(faultsOf(`[${'"\\u0000",'.repeat(5000)}0]`)).toHaveLength(1000);
  });

  it('tells the beginning of a long key, however many faults lie below it', () => {
    const faults = faultsOf(JSON.stringify({ ['k'.repeat(1_000_000)]: Array(1000).fill('\u0000') }));
    expect(faults.at(-1)?.loc).toEqual(['body', `${'k'.repeat(100)}…`, '999']);
    expect(JSON.stringify(faults).length).toBeLessThan(1_000_000);
  });

  it('takes a long list at the deepest level without remembering a path for each of its items', () => {
    const text = `${'['.repeat(64)}${'0,'.repeat(400_000)}0${']'.repeat(64)}`;
    const before = process.memoryUsage().heapUsed;
    parse(text);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100_000_000);
  });
});

function faultsOf(text: string): readonly Fault[] {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof DomainError) return error.faults;
    throw error;
  }
  return [];
}

function typeOf(text: string | Buffer): string | undefined {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof DomainError) return error.faults[0]?.type;
    throw error;
  }
  return undefined;
}
