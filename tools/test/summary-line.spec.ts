import { describe, expect, it } from '@jest/globals';
import { summaryLine } from './summary-line.js';

const emptyResult = {
  numPassedTests: 0,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  numRuntimeErrorTestSuites: 0,
};

describe('summaryLine', () => {
  it('counts passed, failed and skipped tests', () => {
    const result = { ...emptyResult, numPassedTests: 7, numFailedTests: 2, numPendingTests: 1, numTodoTests: 3 };
    expect(summaryLine(result)).toBe('7 passed, 2 failed, 4 skipped');
  });

  it('counts a file that could not be loaded as one failed test', () => {
    expect(summaryLine({ ...emptyResult, numPassedTests: 7, numRuntimeErrorTestSuites: 1 })).toBe(
      '7 passed, 1 failed, 0 skipped',
    );
  });
});
