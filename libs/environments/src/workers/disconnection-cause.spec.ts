import { describe, expect, it } from '@jest/globals';
import { hasCrashed } from './disconnection-cause.js';

const calm = { reason: 'shutdown', exit_code: 0, error_message: null };

describe('the cause of a disconnection', () => {
  it.each([0, 130, 143, null])('is a stop on request with the exit code %s', (exit_code) => {
    expect(hasCrashed({ ...calm, exit_code })).toBe(false);
  });

  it.each([1, 137, 139, -1])('is a crash with the exit code %s', (exit_code) => {
    expect(hasCrashed({ ...calm, exit_code })).toBe(true);
  });

  it('is a crash when there is an error message, or a reason that says so', () => {
    expect(hasCrashed({ ...calm, error_message: 'out of memory' })).toBe(true);
    expect(hasCrashed({ ...calm, exit_code: null, reason: 'Crashed' })).toBe(true);
    expect(hasCrashed({ ...calm, exit_code: null, reason: 'startup_error' })).toBe(true);
  });

  it('is a stop for reasons of any other wording', () => {
    expect(hasCrashed({ ...calm, reason: 'scale-down' })).toBe(false);
  });
});
