import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTimeOf } from '../provision/process-identity.js';

/** Where a running platform's servers are: what other commands need to work on the same data folder. */
export interface RunState {
  /** The launcher. */
  readonly pid: number;
  readonly startTime: string;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly controlPlaneUrl: string;
  readonly platformApiUrl: string;
}

/** Holds passwords, hence 0600. Only there while the platform runs. */
export function writeRunState(dataDir: string, state: Omit<RunState, 'pid' | 'startTime'>): void {
  const path = pathIn(dataDir);
  const whole: RunState = { pid: process.pid, startTime: startTimeOf(process.pid) ?? '', ...state };
  writeFileSync(`${path}.new`, `${JSON.stringify(whole, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

export function removeRunState(dataDir: string): void {
  rmSync(pathIn(dataDir), { force: true });
}

/** Undefined when nothing runs on the data folder; a file that a crash left behind does not count. */
export function readRunState(dataDir: string): RunState | undefined {
  try {
    const state = JSON.parse(readFileSync(pathIn(dataDir), 'utf8')) as RunState;
    return startTimeOf(state.pid) === state.startTime ? state : undefined;
  } catch {
    return undefined;
  }
}

function pathIn(dataDir: string): string {
  return join(dataDir, 'run.json');
}
