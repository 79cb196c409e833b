import { afterEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { startTimeOf } from '../provision/process-identity.js';
import { compiled } from '../provision/project-root.js';
import { waitUntil } from '../provision/wait-until.js';

/** Starts a reaper and a process that it watches, which ignores SIGTERM and has a blocked event loop. */
const LAUNCHER_SCRIPT = `
  const { Reaper } = await import(${JSON.stringify(compiled('tools/start/reaper'))});
  const { spawn } = await import('node:child_process');
  const blocked = "process.on('SIGTERM', () => {}); console.log(process.pid); for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)";
  const child = spawn(process.execPath, ['-e', blocked], { stdio: ['ignore', 'inherit', 'inherit'], detached: true });
  new Reaper(0.2).watch({ pid: child.pid, exited: new Promise((resolve) => child.once('exit', resolve)) });
  setInterval(() => undefined, 1000);
`;

describe('Reaper', () => {
  let onTestEnd: () => unknown = () => undefined;

  // A process that the reaper does not kill would keep the output of the test open.
  afterEach(() => {
    onTestEnd();
  });

  it('kills a process that does not stop after its launcher was killed', async () => {
    const parent = spawn(process.execPath, ['--input-type=module', '-e', LAUNCHER_SCRIPT], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pid = await firstNumber(parent.stdout);
    expect(startTimeOf(pid)).toBeDefined();
    onTestEnd = () => startTimeOf(pid) !== undefined && process.kill(pid, 'SIGKILL');
    parent.kill('SIGKILL');
    const checkEnded = async (): Promise<true | undefined> => (startTimeOf(pid) === undefined ? true : undefined);
    expect(await waitUntil(checkEnded, { timeoutMs: 60_000, intervalMs: 20 })).toBe(true);
  });
});

async function firstNumber(output: NodeJS.ReadableStream): Promise<number> {
  for await (const line of createInterface({ input: output })) return Number(line);
  throw new Error('The launcher exited before it printed a process id');
}
