import { readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parentOf } from '../provision/process-identity.js';
import { printStep } from './print-step.js';

/**
 * A test file that runs longer is stuck. The slowest file takes four minutes on two cores, and longer only by the time for
 * which `npm run chaos` has it lose servers. A file of which every test waits for its timeout would take hours.
 */
export const STUCK_AFTER_MS = 900_000 + (Number(process.env['CHAOS_MINUTES']) || 0) * 60_000;

/** A test file that runs, as `tools/jest/costs.cjs` records it. */
interface RunningFile {
  /** Of the Jest worker. */
  readonly pid: number;
  /** Relative to the repository. */
  readonly file: string;
  readonly test: string;
  /** Milliseconds since 1970. */
  readonly started_at: number;
}

/**
 * Kills the worker of each test file that is stuck, and prints the file and its current test. Jest then reports the file
 * as failed, and runs the other files in a new worker. Files that Jest runs in its own process are left alone: a debugger
 * can hold them.
 */
export function stopStuckFiles(recordFolder: string, jestPid: number, now: number): void {
  for (const name of readdirSync(recordFolder).filter((entry) => entry.endsWith('.running'))) {
    const path = join(recordFolder, name);
    const running = readRunning(path);
    if (running === undefined || running.pid === jestPid || now - running.started_at < STUCK_AFTER_MS) continue;
    rmSync(path, { force: true });
    // The worker crashed, and the system may have given its id to another process.
    if (parentOf(running.pid) !== jestPid) continue;
    const minutes = Math.round((now - running.started_at) / 60_000);
    printStep(`${running.file} has run for ${minutes} minutes and is stopped, in the test "${running.test}".`);
    stop(running.pid);
  }
}

/** Whether no test file runs, and none has started or ended for as long as a file may run. `since`: when Jest started. */
export function isJestStuck(recordFolder: string, since: number, now: number): boolean {
  if (readdirSync(recordFolder).some((entry) => entry.endsWith('.running'))) return false;
  return now - Math.max(since, statSync(recordFolder).mtimeMs) >= STUCK_AFTER_MS;
}

/** Returns undefined if the file has just ended, or if its record is just being written. */
function readRunning(path: string): RunningFile | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as RunningFile;
  } catch {
    return undefined;
  }
}

function stop(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
