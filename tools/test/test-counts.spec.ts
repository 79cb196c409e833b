import { describe, expect, it } from '@jest/globals';
import { closingLine } from './test-counts.js';

const nothing = {
  numPassedTests: 0,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  numRuntimeErrorTestSuites: 0,
};

describe('closing line of a test run', () => {
  it('counts what passed, failed and was skipped', () => {
    const result = { ...nothing, numPassedTests: 7, numFailedTests: 2, numPendingTests: 1, numTodoTests: 3 };
    expect(closingLine(result)).toBe('7 passed, 2 failed, 4 skipped');
  });

  it('counts a file that could not be loaded as a failure', () => {
    expect(closingLine({ ...nothing, numPassedTests: 7, numRuntimeErrorTestSuites: 1 })).toBe(
      '7 passed, 1 failed, 0 skipped',
    );
  });
});
