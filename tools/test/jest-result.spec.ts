import { describe, expect, it } from '@jest/globals';
import {
  countTests,
  failedFiles,
  firstFailure,
  replaceCounts,
  summaryLine,
  type FileResult,
  type JestResult,
} from './jest-result.js';

const emptyResult: JestResult = {
  numPassedTests: 0,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  numRuntimeErrorTestSuites: 0,
  testResults: [],
};

const passed = { status: 'passed', fullName: 'adds numbers', failureMessages: [] };
const failed = {
  status: 'failed',
  fullName: 'divides numbers',
  failureMessages: ['Error: \u001B[31mexpected 2\u001B[39m\n  at divide.spec.ts:3'],
};
const skipped = { status: 'pending', fullName: 'counts', failureMessages: [] };
const unstable: FileResult = {
  name: '/libs/math.spec.ts',
  status: 'failed',
  message: '',
  assertionResults: [passed, failed, skipped],
};
const unloadable: FileResult = {
  name: '/libs/broken.spec.ts',
  status: 'failed',
  message: 'SyntaxError: unexpected token',
  assertionResults: [],
};

describe('the result of a test run', () => {
  it('counts passed, failed and skipped tests', () => {
    const result = { ...emptyResult, numPassedTests: 7, numFailedTests: 2, numPendingTests: 1, numTodoTests: 3 };
    expect(summaryLine(countTests(result))).toBe('7 passed, 2 failed, 4 skipped');
  });

  it('counts a file that could not be loaded as one failed test', () => {
    expect(countTests({ ...emptyResult, numPassedTests: 7, numRuntimeErrorTestSuites: 1 })).toEqual({
      passed: 7,
      failed: 1,
      skipped: 0,
    });
  });

  it('contains the files that failed', () => {
    const result = { ...emptyResult, testResults: [{ ...unstable, status: 'passed' as const }, unloadable] };
    expect(failedFiles(result)).toEqual([unloadable]);
  });

  it('counts the tests of a repeated file once, as in the repetition', () => {
    const repeated = { ...emptyResult, numPassedTests: 2, numPendingTests: 1 };
    expect(replaceCounts({ passed: 10, failed: 1, skipped: 4 }, unstable, repeated)).toEqual({
      passed: 11,
      failed: 0,
      skipped: 4,
    });
  });

  it('counts a file that could not be loaded at first as in the repetition', () => {
    const repeated = { ...emptyResult, numPassedTests: 3 };
    expect(replaceCounts({ passed: 10, failed: 1, skipped: 0 }, unloadable, repeated)).toEqual({
      passed: 13,
      failed: 0,
      skipped: 0,
    });
  });

  it('names the first failure in one line, without colors', () => {
    expect(firstFailure(unstable)).toBe('divides numbers: Error: expected 2');
    expect(firstFailure(unloadable)).toBe('SyntaxError: unexpected token');
  });
});
