import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTimeOf } from '../provision/process-identity.js';

/** The addresses of a running platform, for other commands that use the same data folder. */
export interface RunState {
  /** The process id of the launcher. */
  readonly pid: number;
  readonly startTime: string;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly controlPlaneUrl: string;
  readonly platformApiUrl: string;
  /** Default model of new organizations, as configured on the control plane. */
  readonly defaultModel?: string;
}

/** Writes the file with mode 0600, because it contains passwords. It exists only while the platform runs. */
export function writeRunState(dataDir: string, state: Omit<RunState, 'pid' | 'startTime'>): void {
  const path = pathIn(dataDir);
  const runState: RunState = { pid: process.pid, startTime: startTimeOf(process.pid) ?? '', ...state };
  writeFileSync(`${path}.new`, `${JSON.stringify(runState, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

export function removeRunState(dataDir: string): void {
  rmSync(pathIn(dataDir), { force: true });
}

/** Returns undefined if no platform runs on the data folder; ignores a file left by a crash. */
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
