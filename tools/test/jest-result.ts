/** The parts of Jest's JSON result that the run reads. */
export interface JestResult {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  /** Test files that could not be loaded; their tests are in no other count. */
  readonly numRuntimeErrorTestSuites: number;
  readonly testResults: readonly FileResult[];
}

export interface FileResult {
  /** The absolute path of the test file. */
  readonly name: string;
  readonly status: 'passed' | 'failed' | 'focused' | 'skipped' | 'pending';
  /** Why the file failed, as Jest prints it. */
  readonly message: string;
  readonly assertionResults: readonly TestResult[];
}

interface TestResult {
  readonly status: string;
  readonly fullName: string;
  readonly failureMessages: readonly string[];
}

/** Numbers of tests. A file that could not be loaded counts as one failed test. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export function countTests(result: JestResult): TestCounts {
  return {
    passed: result.numPassedTests,
    failed: result.numFailedTests + result.numRuntimeErrorTestSuites,
    skipped: result.numPendingTests + result.numTodoTests,
  };
}

export function failedFiles(result: JestResult): FileResult[] {
  return result.testResults.filter(({ status }) => status === 'failed');
}

/** Returns the counts of a run in which the results of a repeated file replace its first ones. */
export function replaceCounts(counts: TestCounts, first: FileResult, repeated: JestResult): TestCounts {
  const former = countFile(first);
  const repetition = countTests(repeated);
  return {
    passed: counts.passed - former.passed + repetition.passed,
    failed: counts.failed - former.failed + repetition.failed,
    skipped: counts.skipped - former.skipped + repetition.skipped,
  };
}

function countFile({ assertionResults }: FileResult): TestCounts {
  const count = (...statuses: readonly string[]): number =>
    assertionResults.filter(({ status }) => statuses.includes(status)).length;
  if (assertionResults.length === 0) return { passed: 0, failed: 1, skipped: 0 };
  return { passed: count('passed'), failed: count('failed'), skipped: count('pending', 'todo', 'skipped', 'disabled') };
}

/** Returns the last line of a test run. */
export function summaryLine({ passed, failed, skipped }: TestCounts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

const COLORS = new RegExp(`${String.fromCodePoint(27)}\\[[0-9;]*m`, 'g');

/** Returns, in one line, the first test of the file that failed and the first line of its error. */
export function firstFailure({ assertionResults, message }: FileResult): string {
  const failed = assertionResults.find(({ status }) => status === 'failed');
  const text = failed === undefined ? message : `${failed.fullName}: ${failed.failureMessages[0] ?? ''}`;
  return text.replace(COLORS, '').trim().split('\n')[0] ?? '';
}
