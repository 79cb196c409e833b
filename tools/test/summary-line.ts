/** The counts in Jest's JSON result. */
export interface JestResult {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  /** Test files that could not be loaded; their tests are in no other count. */
  readonly numRuntimeErrorTestSuites: number;
}

/** Returns the last line of a test run. A file that could not be loaded counts as one failed test. */
export function summaryLine(result: JestResult): string {
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  const skipped = result.numPendingTests + result.numTodoTests;
  return `${result.numPassedTests} passed, ${failed} failed, ${skipped} skipped`;
}
