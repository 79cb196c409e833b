import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { compiled, projectRoot } from '../tools/provision/project-root.js';
import { ask } from './ipc.js';

const READY_TIMEOUT_MS = 20_000;
const PRELOADED = ['tools/start/parent-watch', 'bench/report-cpu'];

interface Start {
  /** A source without its extension; its compiled counterpart is started. */
  readonly entry: string;
  readonly env: Readonly<Record<string, string>>;
  /** Matches the output of a process that is ready. */
  readonly ready: RegExp;
  readonly timeoutMs?: number;
  /** The checkout whose dist/ holds the entry. */
  readonly root?: string;
}

/** Starts a compiled entry and waits for the line that reports it ready. */
export async function startProcess({
  entry,
  env,
  ready,
  root = projectRoot,
  timeoutMs = READY_TIMEOUT_MS,
}: Start): Promise<ChildProcess> {
  const preloads = PRELOADED.flatMap((source) => ['--import', compiled(source)]);
  const child = spawn(process.execPath, [...preloads, join(root, 'dist', `${entry}.js`)], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`${entry} was not ready in time:\n${output}`)), timeoutMs);
    const read = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-4000);
      if (!ready.test(output)) return;
      clearTimeout(late);
      resolve();
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', (code) => {
      const failure = new Error(`${entry} exited with ${code}:\n${output}`);
      // Printed because nothing awaits this promise after the process was ready: the caller only sees a failed request.
      if (code !== null && code !== 0) console.error(failure.message);
      reject(failure);
    });
  });
  return child;
}

/** CPU time that the process has used since its start, all threads, in milliseconds. */
export function cpuMs(child: ChildProcess): Promise<number> {
  return ask(child, 'cpu');
}

export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
