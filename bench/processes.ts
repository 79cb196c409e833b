import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { compiled } from '../tools/provision/project-root.js';

const READY_TIMEOUT_MS = 20_000;

/** Starts a compiled entry and waits for the line that says it is ready. */
export async function startProcess(entry: string, env: Record<string, string>, ready: RegExp): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--import', compiled('tools/start/parent-watch'), compiled(entry)], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`${entry} was not ready in time:\n${output}`)), READY_TIMEOUT_MS);
    const read = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-4000);
      if (!ready.test(output)) return;
      clearTimeout(late);
      resolve();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', (code) => reject(new Error(`${entry} ended with ${code}:\n${output}`)));
  });
  return child;
}

export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
