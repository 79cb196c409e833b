import { describe, expect, it } from '@jest/globals';
import { parseExactJson, type JsonObject } from '@app/kernel';
import fc from 'fast-check';
import { reportableData, reportableText } from './reportable.js';

describe('reportableText', () => {
  it('replaces NUL and unpaired surrogates, and keeps surrogate pairs', () => {
    expect(reportableText('a\0b\ud800c\udc00d😀', 1000)).toBe('a\ufffdb\ufffdc\ufffdd😀');
  });

  it('returns a well-formed text of at most the given size, and says how much it cut', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', '\0', '"', 'ü', '😀', '\ud800'), maxLength: 2000 });
    fc.assert(
      fc.property(texts, (text) => {
        const reported = reportableText(text, 500);
        expect(Buffer.byteLength(JSON.stringify(reported))).toBeLessThanOrEqual(500);
        expect(Buffer.from(reported).toString()).toBe(reported);
        const [, cut] = /\n\[cut: (\d+) more characters\]$/.exec(reported) ?? [];
        if (cut !== undefined) expect(reported.indexOf('\n') + Number(cut)).toBe(text.length);
        else expect(reported).toHaveLength(text.length);
      }),
    );
  });
});

describe('reportableData', () => {
  it('replaces texts and keys at every level, and leaves out forbidden keys', () => {
    const data = JSON.parse('{"a\\u0000":[{"b":"c\\u0000"},1,null],"constructor":1,"__proto__":2}');
    expect(JSON.stringify(reportableData(data))).toBe('{"a\ufffd":[{"b":"c\ufffd"},1,null]}');
  });

  it('keeps the digits of numbers, and reports numbers that the control plane rejects as texts', () => {
    const data = parseExactJson('{"a":[9007199254740993,1e400,-1e-400]}') as JsonObject;
    expect(JSON.stringify(reportableData(data))).toBe('{"a":[9007199254740993,"1e400","-1e-400"]}');
  });

  it('cuts off what is nested deeper than the control plane accepts', () => {
    const nested = JSON.parse(`{"a":${'['.repeat(100)}1${']'.repeat(100)}}`);
    expect(JSON.stringify(reportableData(nested))).toMatch(/^\{"a":\[{58,60}"\[nested too deeply\]"/);
  });
});
