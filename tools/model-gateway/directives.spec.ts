import { describe, expect, it } from '@jest/globals';
import { readDirectives } from './directives.js';

describe('readDirectives', () => {
  it('reads delays in milliseconds and seconds and removes them from the text', () => {
    const { directives, text } = readDirectives('Say hi [[delay 200ms]] slowly [[pace 1.5s]]');
    expect(directives).toMatchObject({ delay: 200, pace: 1500 });
    expect(text).toBe('Say hi slowly');
  });

  it('reads an error with and without Retry-After', () => {
    expect(readDirectives('[[error 500]]').directives.error).toEqual({ status: 500, retryAfterSeconds: null });
    expect(readDirectives('[[error 429 3s]]').directives.error).toEqual({ status: 429, retryAfterSeconds: 3 });
  });

  it('reads scripted calls with nested JSON in order', () => {
    const { directives } = readDirectives('[[tool one {"list":[[1],[2]]} x2]] then [[tool two]]');
    expect(directives.calls).toEqual([
      { name: 'one', arguments: { list: [[1], [2]] }, times: 2 },
      { name: 'two', arguments: null, times: 1 },
    ]);
  });

  it('leaves a malformed directive in the text', () => {
    const prompt = '[[delay soon]] [[error 200]] [[tool x {oops}]]';
    const { directives, text } = readDirectives(prompt);
    expect(text).toBe(prompt);
    expect(directives).toMatchObject({ delay: 0, error: null, calls: [] });
  });

  it('limits delays and lengths', () => {
    expect(readDirectives('[[delay 9999s]][[tokens 999999999]]').directives).toMatchObject({
      delay: 600_000,
      tokens: 100_000,
    });
  });
});
