import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onPath } from './commands.js';
import { startTimeOf } from './process-identity.js';
import { compiled } from './project-root.js';
import { waitUntil } from './wait-until.js';

jest.setTimeout(60_000);

const launcher = (kind: string, dataDir: string): string => `
  const { provision${kind} } = await import(${JSON.stringify(compiled(`tools/provision/${kind.toLowerCase()}`))});
  const server = await provision${kind}({ dataDir: ${JSON.stringify(dataDir)} });
  console.log(server.pid);
  setInterval(() => undefined, 1000);
`;

describe('a server whose launcher is killed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parent-death-'));
  let parent: ChildProcess | undefined;

  afterEach(() => {
    parent?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(['Postgres', 'Redis'])('ends (%s, told by the system)', async (kind) => {
    const pid = await launch(kind, process.env['PATH'] ?? '');
    await expectEndAfterKill(pid);
  });

  it.each(['Postgres', 'Redis'])('ends (%s, told by a guard where the system has no such signal)', async (kind) => {
    const pid = await launch(kind, pathWithoutSetpriv());
    await expectEndAfterKill(pid);
  });

  async function launch(kind: string, path: string): Promise<number> {
    parent = spawn(process.execPath, ['--input-type=module', '-e', launcher(kind, join(folder, kind))], {
      env: { ...process.env, PATH: path },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (parent.stdout === null) throw new Error('No output');
    for await (const line of createInterface({ input: parent.stdout })) return Number(line);
    throw new Error('The launcher ended early');
  }

  async function expectEndAfterKill(pid: number): Promise<void> {
    expect(startTimeOf(pid)).toBeDefined();
    parent?.kill('SIGKILL');
    const ended = await waitUntil(async () => (startTimeOf(pid) === undefined ? true : undefined), {
      timeoutMs: 15_000,
      stepMs: 20,
    });
    expect(ended).toBe(true);
  }

  /** Root still needs `unshare` for Postgres; everything else that could be there is not. */
  function pathWithoutSetpriv(): string {
    const programs = join(folder, 'programs');
    mkdirSync(programs, { recursive: true });
    for (const name of ['unshare', 'true', 'redis-server']) {
      const path = onPath(name);
      if (path !== undefined) symlinkSync(path, join(programs, name));
    }
    return programs;
  }
});
