import { describe, expect, it } from '@jest/globals';
import { judge } from './log-cursor.js';

describe('what a live event is to a reader', () => {
  const at = { counter: 5, micros: 500 };

  it('is the next one only when it is the direct successor', () => {
    expect(judge(at, { counter: 6, micros: 501 })).toBe('next');
    expect(judge(at, { counter: 7, micros: 501 })).toBe('jump');
    expect(judge('first', { counter: 1, micros: 1 })).toBe('next');
    expect(judge('first', { counter: 2, micros: 1 })).toBe('jump');
  });

  it('is one it has seen when both its numbers are no newer', () => {
    expect(judge(at, at)).toBe('seen');
    expect(judge(at, { counter: 1, micros: 100 })).toBe('seen');
  });

  it('is a jump when the log was lost and counts anew', () => {
    expect(judge(at, { counter: 1, micros: 900 })).toBe('jump');
    expect(judge(at, { counter: 5, micros: 900 })).toBe('jump');
    expect(judge(at, { counter: 6, micros: 400 })).toBe('jump');
  });

  it('is never trusted by a reader that does not know where it stands', () => {
    expect(judge('oldest', { counter: 1, micros: 1 })).toBe('jump');
  });
});
