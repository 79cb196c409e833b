import { describe, expect, it } from '@jest/globals';
import { comparePosition } from './log-cursor.js';

describe('comparePosition', () => {
  const at = { counter: 5, micros: 500 };

  it('returns next only for the direct successor', () => {
    expect(comparePosition(at, { counter: 6, micros: 501 })).toBe('next');
    expect(comparePosition(at, { counter: 7, micros: 501 })).toBe('jump');
    expect(comparePosition('first', { counter: 1, micros: 1 })).toBe('next');
    expect(comparePosition('first', { counter: 2, micros: 1 })).toBe('jump');
  });

  it('returns seen if neither counter nor time is newer', () => {
    expect(comparePosition(at, at)).toBe('seen');
    expect(comparePosition(at, { counter: 1, micros: 100 })).toBe('seen');
  });

  it('returns jump if the log was lost and its counter started again', () => {
    expect(comparePosition(at, { counter: 1, micros: 900 })).toBe('jump');
    expect(comparePosition(at, { counter: 5, micros: 900 })).toBe('jump');
    expect(comparePosition(at, { counter: 6, micros: 400 })).toBe('jump');
  });

  it('returns jump for a reader without a known position', () => {
    expect(comparePosition('oldest', { counter: 1, micros: 1 })).toBe('jump');
  });
});
