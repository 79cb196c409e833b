import { describe, expect, it } from '@jest/globals';
import { InvalidRequest, type LocatedFault } from '../errors/invalid-request.js';
import { parseJsonBody, parseJsonOrFormBody, readJson } from './body.js';
import { HttpProblem } from '../errors/http-problem.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const parse = (text: string | Buffer, type = JSON_TYPE): unknown => parseJsonBody(Buffer.from(text), type);

describe('parseJsonOrFormBody', () => {
  const parseForm = (text: string, type = 'application/x-www-form-urlencoded; charset=utf-8'): unknown =>
    parseJsonOrFormBody(Buffer.from(text), type);

  it('returns the fields of a form, the last of each name', () => {
    expect(parseForm('text=a+%26%20b&user=ada&user=bob&empty=')).toEqual({ text: 'a & b', user: 'bob', empty: '' });
    expect(parseForm('')).toBeUndefined();
  });

  it('returns the JSON in the field payload of a form', () => {
    expect(parseForm(`payload=${encodeURIComponent('{"a": [1]}')}&b=2`)).toEqual({ a: [1] });
    expect(() => parseForm('payload=%7B')).toThrow(InvalidRequest);
  });

  it('checks a form like JSON', () => {
    expect(() => parseForm('__proto__=1')).toThrow(InvalidRequest);
    expect(() => parseForm('a=%00')).toThrow(InvalidRequest);
  });

  it('parses any other body as JSON', () => {
    expect(parseForm('{"a": 1}', JSON_TYPE)).toEqual({ a: 1 });
    expect(() => parseForm('a=1', 'text/plain')).toThrow('application/json');
  });
});

describe('parseJsonBody', () => {
  it('returns undefined for an empty body of any content type', () => {
    expect(parse('', 'text/plain')).toBeUndefined();
  });

  it('rejects another content type', () => {
    expect(() => parse('{}', 'application/x-www-form-urlencoded')).toThrow(HttpProblem);
  });

  it.each([
    'application/json; charset=utf-16',
    'application/json;charset=iso-8859-1',
    'application/json; CHARSET = "UTF-16LE"',
    'application/json; charset=utf-8; charset=utf-16',
    'application/json; charset=',
    'application/problem+json; profile=x; charset=latin1',
  ])('rejects %s with 415', (type) => {
    expect(() => parse('{}', type)).toThrow(expect.objectContaining({ status: 415, code: 'unsupported_media_type' }));
  });

  it.each(['application/json', 'application/json;charset=UTF-8', 'application/json; charset="utf8"', 'a/b+json;x=y'])(
    'accepts %s',
    (type) => {
      expect(parse('{"a":"é"}', type)).toEqual({ a: 'é' });
    },
  );

  it('reports malformed JSON and malformed UTF-8 as json_invalid', () => {
    expect(typeOf('{"a":')).toBe('json_invalid');
    expect(typeOf(Buffer.from([0x22, 0xff, 0x22]))).toBe('json_invalid');
  });

  it.each([
    ['a NUL character in a value', '{"a":"x\\u0000"}'],
    ['a NUL character in a key', '{"a\\u0000":1}'],
    ['an unpaired surrogate', '{"a":"\\ud800"}'],
    ['a prototype key at any depth', '{"a":[{"__proto__":{}}]}'],
    ['a constructor key', '{"constructor":1}'],
    ['a number that overflows to infinity', '{"a":1e999}'],
    ['more than 64 levels', '['.repeat(65) + ']'.repeat(65)],
  ])('rejects %s', (_what, text) => {
    expect(typeOf(text)).toBe('value_error');
  });

  it('accepts 64 levels and surrogate pairs, and rejects a nesting that would exhaust the stack', () => {
    expect(parse('['.repeat(64) + ']'.repeat(64))).toBeDefined();
    expect(parse('{"a":"😀"}')).toEqual({ a: '😀' });
    expect(typeOf('['.repeat(100_000) + ']'.repeat(100_000))).toMatch(/value_error|json_invalid/);
  });
});

describe('readJson of a body with faults', () => {
  it('returns the value without its forbidden keys', () => {
    const text = '{"a":{"constructor":1,"b":[{"__proto__":{"c":2},"d":"\\u0000"}]}}';
    const { value, faults } = readJson(Buffer.from(text), JSON_TYPE);
    expect(value).toEqual({ a: { b: [{ d: '\0' }] } });
    expect(faults).toHaveLength(3);
  });

  it('throws at once for the maximum number of faults', () => {
    const text = `[${'{"constructor":1},'.repeat(2000)}0]`;
    expect(() => readJson(Buffer.from(text), JSON_TYPE)).toThrow(InvalidRequest);
  });
});

describe('the faults of a malicious body', () => {
  it('have their locations, in document order', () => {
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

  it('are at most a thousand', () => {
    expect(faultsOf(`[${'"\\u0000",'.repeat(5000)}0]`)).toHaveLength(1000);
  });

  it('contain only the beginning of a long key', () => {
    const faults = faultsOf(JSON.stringify({ ['k'.repeat(1_000_000)]: Array(1000).fill('\u0000') }));
    expect(faults.at(-1)?.loc).toEqual(['body', `${'k'.repeat(100)}…`, '999']);
    expect(JSON.stringify(faults).length).toBeLessThan(1_000_000);
  });

  it('keep the digits of numbers within the range of doubles', () => {
    expect(JSON.stringify(parse('{"id":9007199254740993,"rate":[0.12345678901234567890]}'))).toBe(
      '{"id":9007199254740993,"rate":[0.12345678901234567890]}',
    );
    for (const number of ['1e400', '-1e309', '1e-400', `1e${'9'.repeat(400)}`]) {
      const fault = { loc: ['body', 'a', '0'], msg: 'Number is out of range', type: 'value_error' };
      expect(faultsOf(`{"a":[${number}]}`)).toEqual([fault]);
    }
    expect(faultsOf(`[0.${'1'.repeat(20_000)}]`)).toMatchObject([
      { loc: ['body', '0'], msg: 'Number should have at most 10000 characters' },
    ]);
  });

  it('need no stored path per item of a long list at the deepest level', () => {
    const text = `${'['.repeat(64)}${'0,'.repeat(400_000)}0${']'.repeat(64)}`;
    const before = process.memoryUsage().heapUsed;
    parse(text);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100_000_000);
  });
});

function faultsOf(text: string): readonly LocatedFault[] {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof InvalidRequest) return error.faults;
    throw error;
  }
  return [];
}

function typeOf(text: string | Buffer): string | undefined {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof InvalidRequest) return error.faults[0]?.type;
    throw error;
  }
  return undefined;
}
