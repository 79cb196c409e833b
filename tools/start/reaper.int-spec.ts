import { afterEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { startTimeOf } from '../provision/process-identity.js';
import { compiled } from '../provision/project-root.js';
import { waitUntil } from '../provision/wait-until.js';

/** Starts, under the reaper, a process whose loop is blocked and that no signal but SIGKILL ends. */
const launcher = `
  const { Reaper } = await import(${JSON.stringify(compiled('tools/start/reaper'))});
  const { spawn } = await import('node:child_process');
  const blocked = "process.on('SIGTERM', () => {}); console.log(process.pid); for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)";
  const child = spawn(process.execPath, ['-e', blocked], { stdio: ['ignore', 'inherit', 'inherit'], detached: true });
  new Reaper(0.2).watch({ pid: child.pid, exited: new Promise((resolve) => child.once('exit', resolve)) });
  setInterval(() => undefined, 1000);
`;

describe('the reaper', () => {
  let onTestEnd: () => unknown = () => undefined;

  // What the reaper fails to end would hold the test's own output open.
  afterEach(() => {
    onTestEnd();
  });

  it('kills what does not end by itself after its launcher was killed', async () => {
    const parent = spawn(process.execPath, ['--input-type=module', '-e', launcher], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pid = await firstNumber(parent.stdout);
    expect(startTimeOf(pid)).toBeDefined();
    onTestEnd = () => startTimeOf(pid) !== undefined && process.kill(pid, 'SIGKILL');
    parent.kill('SIGKILL');
    const gone = async (): Promise<true | undefined> => (startTimeOf(pid) === undefined ? true : undefined);
    expect(await waitUntil(gone, { timeoutMs: 20_000, stepMs: 20 })).toBe(true);
  });
});

async function firstNumber(output: NodeJS.ReadableStream): Promise<number> {
  for await (const line of createInterface({ input: output })) return Number(line);
  throw new Error('The launcher ended early');
}
