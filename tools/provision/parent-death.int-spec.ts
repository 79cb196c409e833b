import { afterEach, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findOnPath } from './commands.js';
import { startTimeOf } from './process-identity.js';
import { compiled } from './project-root.js';
import { waitUntil } from './wait-until.js';

const launcherScript = (kind: string, dataDir: string): string => `
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

  it.each(['Postgres', 'Redis'])('stops (%s, by the parent-death signal of the system)', async (kind) => {
    const pid = await launch(kind, process.env['PATH'] ?? '');
    await expectStopAfterKill(pid);
  });

  it.each(['Postgres', 'Redis'])(
    'stops (%s, by the guard process where the system has no parent-death signal)',
    async (kind) => {
      const pid = await launch(kind, pathWithoutSetpriv());
      await expectStopAfterKill(pid);
    },
  );

  async function launch(kind: string, path: string): Promise<number> {
    parent = spawn(process.execPath, ['--input-type=module', '-e', launcherScript(kind, join(folder, kind))], {
      env: { ...process.env, PATH: path },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (parent.stdout === null) throw new Error('The launcher has no stdout');
    for await (const line of createInterface({ input: parent.stdout })) return Number(line);
    throw new Error('The launcher exited before it printed a process id');
  }

  async function expectStopAfterKill(pid: number): Promise<void> {
    expect(startTimeOf(pid)).toBeDefined();
    parent?.kill('SIGKILL');
    const stopped = await waitUntil(async () => (startTimeOf(pid) === undefined ? true : undefined), {
      timeoutMs: 60_000,
      intervalMs: 20,
    });
    expect(stopped).toBe(true);
  }

  /** A PATH without setpriv but with `unshare`, which Postgres needs as root. */
  function pathWithoutSetpriv(): string {
    const programs = join(folder, 'programs');
    mkdirSync(programs, { recursive: true });
    for (const name of ['unshare', 'true', 'redis-server']) {
      const path = findOnPath(name);
      if (path !== undefined) symlinkSync(path, join(programs, name));
    }
    return programs;
  }
});
