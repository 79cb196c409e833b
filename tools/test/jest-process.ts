import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compiled, projectRoot } from '../provision/project-root.js';
import { watchLauncher } from '../start/launcher-watch.js';
import type { JestResult } from './jest-result.js';
import { printStep } from './print-step.js';
import { isJestStuck, stopStuckFiles } from './stuck-files.js';
import { testEnvironment } from './test-environment.js';

// How long Jest may take to exit after it has written its result.
const EXIT_GRACE_MS = 10_000;
const RESULT_CHECK_INTERVAL_MS = 500;
const STUCK_CHECK_INTERVAL_MS = 10_000;

export interface JestOutcome {
  readonly code: number;
  /** Undefined if Jest ended before it wrote its result. */
  readonly result: JestResult | undefined;
}

/**
 * Runs Jest, which writes its result to the file, and stops test files that are stuck. The terminal sends SIGINT to Jest
 * as well; other signals are forwarded.
 */
export async function runJest(
  args: readonly string[],
  resultFile: string,
  recordFolder: string,
  variables: Readonly<Record<string, string>>,
): Promise<JestOutcome> {
  const node = ['--import', compiled('tools/start/parent-watch'), join(projectRoot, 'node_modules/jest/bin/jest.js')];
  const jest = spawn(process.execPath, [...node, '--json', `--outputFile=${resultFile}`, ...args], {
    cwd: projectRoot,
    env: { ...testEnvironment(process.env), ...variables, TEST_RECORD_FOLDER: recordFolder },
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => jest.kill('SIGTERM'));
  process.on('SIGHUP', () => jest.kill('SIGTERM'));
  watchLauncher(() => jest.kill('SIGTERM'));
  const startedAt = Date.now();
  const watch = setInterval(() => {
    if (jest.pid !== undefined) stopStuckFiles(recordFolder, jest.pid, Date.now());
    if (!isJestStuck(recordFolder, startedAt, Date.now())) return;
    printStep('Jest runs no test file and does not end: it is stopped, and the run fails.');
    jest.kill('SIGKILL');
  }, STUCK_CHECK_INTERVAL_MS);
  const code = await exitOf(jest, resultFile).finally(() => clearInterval(watch));
  const result = existsSync(resultFile) ? (JSON.parse(readFileSync(resultFile, 'utf8')) as JestResult) : undefined;
  return { code, result };
}

function exitOf(jest: ChildProcess, resultFile: string): Promise<number> {
  return new Promise((resolve, reject) => {
    jest.once('error', reject);
    jest.once('exit', (code) => resolve(code ?? 130));
    void killIfHanging(jest, resultFile);
  });
}

/** Kills Jest if it does not exit after it has written its result: a test has left a handle open. */
async function killIfHanging(jest: ChildProcess, resultFile: string): Promise<void> {
  const hasExited = (): boolean => jest.exitCode !== null || jest.signalCode !== null;
  while (!hasExited() && !existsSync(resultFile)) await sleep(RESULT_CHECK_INTERVAL_MS, undefined, { ref: false });
  await sleep(EXIT_GRACE_MS, undefined, { ref: false });
  if (hasExited()) return;
  printStep(
    'All tests have ended, but one of them left a handle open (a server, a connection, a timer): the run fails.',
  );
  jest.kill('SIGKILL');
}
