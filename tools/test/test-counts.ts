/** The part of Jest's JSON result that is counted. */
export interface JestResult {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  /** Test files that could not even be loaded: none of their tests is counted anywhere else. */
  readonly numRuntimeErrorTestSuites: number;
}

/** The closing line of a run. A file that could not be loaded counts as one failed test. */
export function closingLine(result: JestResult): string {
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  const skipped = result.numPendingTests + result.numTodoTests;
  return `${result.numPassedTests} passed, ${failed} failed, ${skipped} skipped`;
}
