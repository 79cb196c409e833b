import { describe, expect, it } from '@jest/globals';
import { hasCrashed } from './disconnection-cause.js';

const plannedStop = { reason: 'shutdown', exit_code: 0, error_message: null };

describe('hasCrashed', () => {
  it.each([0, 130, 143, null])('returns false for the exit code %s', (exit_code) => {
    expect(hasCrashed({ ...plannedStop, exit_code })).toBe(false);
  });

  it.each([1, 137, 139, -1])('returns true for the exit code %s', (exit_code) => {
    expect(hasCrashed({ ...plannedStop, exit_code })).toBe(true);
  });

  it('returns true for an error message or a reason that mentions an error', () => {
    expect(hasCrashed({ ...plannedStop, error_message: 'out of memory' })).toBe(true);
    expect(hasCrashed({ ...plannedStop, exit_code: null, reason: 'Crashed' })).toBe(true);
    expect(hasCrashed({ ...plannedStop, exit_code: null, reason: 'startup_error' })).toBe(true);
  });

  it('returns false for other reasons', () => {
    expect(hasCrashed({ ...plannedStop, reason: 'scale-down' })).toBe(false);
  });
});
