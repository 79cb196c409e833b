import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandLineOf, parentOf, startTimeOf } from '../provision/process-identity.js';
import { projectRoot } from '../provision/project-root.js';
import { waitUntil } from '../provision/wait-until.js';

// The built apps start in a few seconds; a busy machine may need many.
const WAIT_LIMITS = { timeoutMs: 90_000, intervalMs: 50 };

describe('npm start', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'start-'));
  let launcher: Launcher | undefined;

  afterEach(() => {
    launcher?.child.kill('SIGKILL');
  });
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  it('prints both URLs and the admin key, and stops all processes on SIGTERM', async () => {
    launcher = await start(dataDir);
    const children = launcher.children();
    expect(children.map(kindOf).sort()).toEqual([
      'control-plane',
      'model-gateway',
      'platform-api',
      'postgres',
      'reaper',
      'redis',
      'tool-server',
      'worker',
    ]);
    const key = printedValue(launcher, 'admin key');
    expect(await statusOf(`${printedValue(launcher, 'control plane')}/api/v1/models`, `Bearer ${key}`)).toBe(200);
    expect(await statusOf(`${printedValue(launcher, 'platform API')}/api/v1/auth/me`, `UserKey ${key}`)).toBe(200);
    for (const name of ['control plane', 'platform API']) {
      expect(launcher.output()).toContain(`(documentation: ${printedValue(launcher, name)}/api/docs)`);
    }
    expect(launcher.output()).toMatch(/^ +models +development model; set LLM_GATEWAY_URL for real models$/m);
    launcher.child.kill('SIGTERM');
    expect(await launcher.exitCode).toBe(0);
    expect(children.filter((pid) => startTimeOf(pid) !== undefined)).toEqual([]);
    expect(existsSync(join(dataDir, 'start.lock'))).toBe(false);
  });

  it('writes no key to any log', () => {
    for (const name of readdirSync(join(dataDir, 'logs'))) {
      expect(readFileSync(join(dataDir, 'logs', name), 'utf8')).not.toMatch(/\bak_\w{36}\b/);
    }
  });

  it('reports invalid settings of all apps at once, before it starts anything', async () => {
    const folder = join(dataDir, 'not-created');
    const invalidSettings = {
      LOG_LEVEL: 'loud',
      POLICY_MAX_MS: 'soon',
      BOOTSTRAP_ADMIN_KEY: 'short',
      CONTROL_PLANE_PORT: '3001',
    };
    const rejected = run(folder, { ...invalidSettings, PLATFORM_API_PORT: '' });
    const output = await rejected.ended;
    expect(await rejected.exitCode).toBe(78);
    for (const variable of Object.keys(invalidSettings)) expect(output.split(variable)).toHaveLength(2);
    expect(existsSync(folder)).toBe(false);
  });

  it('rejects arguments and prints its usage', async () => {
    const rejected = run(dataDir, {}, ['--port', '4000']);
    expect(await rejected.ended).toMatch(/^Unexpected arguments: --port 4000\nUsage: npm start\n/m);
    expect(await rejected.exitCode).toBe(64);
    const help = run(dataDir, {}, ['--help']);
    expect(await help.ended).toMatch(/^Usage: npm start\n/m);
    expect(await help.exitCode).toBe(0);
  });

  it('starts on an existing folder without a new admin key and rejects a second start', async () => {
    launcher = await start(dataDir);
    expect(launcher.output()).not.toMatch(/\bak_\w{36}\b/);
    expect(launcher.output()).toMatch(
      /^ +admin key +shown at the first start; for another one: npm run .* create-key/m,
    );
    const second = await run(dataDir).ended;
    expect(second).toContain(`The platform is already running on ${dataDir} (process ${launcher.child.pid}).`);
    launcher.child.kill('SIGINT');
    expect(await launcher.exitCode).toBe(0);
  });

  it('prints the admin key of an interrupted first start, and is up while the worker waits for its queue', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'start-interrupted-'));
    const env = { WORKER_QUEUE: 'nope' };
    try {
      const interrupted = run(folder, env);
      launcher = interrupted;
      const isBootstrapped = async (): Promise<true | undefined> =>
        interrupted.output().includes('Starting a worker') || undefined;
      expect(await waitUntil(isBootstrapped, WAIT_LIMITS)).toBe(true);
      interrupted.child.kill('SIGKILL');
      await interrupted.exitCode;
      launcher = await start(folder, env);
      const key = printedValue(launcher, 'admin key');
      expect(await statusOf(`${printedValue(launcher, 'control plane')}/api/v1/models`, `Bearer ${key}`)).toBe(200);
      expect(launcher.output()).toMatch(/^ +worker +waiting for queue nope: start failed with 404: .*queue/im);
      launcher.child.kill('SIGTERM');
      expect(await launcher.exitCode).toBe(0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('leaves no process when it is killed, and starts again', async () => {
    launcher = await start(dataDir);
    const children = launcher.children();
    launcher.child.kill('SIGKILL');
    const checkEnded = async (): Promise<true | undefined> =>
      children.every((pid) => startTimeOf(pid) === undefined) ? true : undefined;
    expect(await waitUntil(checkEnded, WAIT_LIMITS)).toBe(true);
    launcher = await start(dataDir);
    launcher.child.kill('SIGTERM');
    expect(await launcher.exitCode).toBe(0);
  });

  it('restarts each part that is killed, and stops all of them afterwards', async () => {
    launcher = await start(dataDir, { NATS_SERVER: 'true' });
    const health = `${printedValue(launcher, 'control plane')}/api/health/ready`;
    for (const kind of [
      'platform-api',
      'tool-server',
      'worker',
      'model-gateway',
      'redis',
      'postgres',
      'nats',
      'control-plane',
    ]) {
      const before = launcher.children().filter((pid) => kindOf(pid) === kind);
      process.kill(before[0] ?? 0, 'SIGKILL');
      const checkReplaced = async (): Promise<true | undefined> =>
        launcher?.children().some((pid) => kindOf(pid) === kind && !before.includes(pid)) === true ? true : undefined;
      expect(await waitUntil(checkReplaced, WAIT_LIMITS)).toBe(true);
      expect(launcher.output()).toMatch(new RegExp(`${kind} exited unexpectedly \\(SIGKILL\\): restarting it`, 'i'));
      const isReady = async (): Promise<true | undefined> =>
        (await statusOf(health, '').catch(() => 0)) === 200 ? true : undefined;
      expect(await waitUntil(isReady, WAIT_LIMITS)).toBe(true);
    }
    const bus = `${printedValue(launcher, 'control plane')}/api/health/event-bus`;
    const hasNats = async (): Promise<true | undefined> =>
      /"nats":{"enabled":true,"healthy":true/.test(await (await fetch(bus)).text()) || undefined;
    expect(await waitUntil(hasNats, WAIT_LIMITS)).toBe(true);
    const children = launcher.children();
    launcher.child.kill('SIGTERM');
    expect(await launcher.exitCode).toBe(0);
    expect(children.filter((pid) => startTimeOf(pid) !== undefined)).toEqual([]);
  });
});

interface Launcher {
  readonly child: ChildProcess;
  readonly exitCode: Promise<number | null>;
  readonly ended: Promise<string>;
  output(): string;
  children(): number[];
}

function run(dataDir: string, env: Readonly<Record<string, string>> = {}, args: readonly string[] = []): Launcher {
  const child = spawn(process.execPath, [join(projectRoot, 'tools/run.mjs'), 'start', ...args], {
    cwd: projectRoot,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      DATA_DIR: dataDir,
      CONTROL_PLANE_PORT: '0',
      PLATFORM_API_PORT: '0',
      TOOL_SERVER_PORT: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exitCode = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  return {
    child,
    exitCode,
    ended: exitCode.then(() => output),
    output: () => output,
    children: () => childrenOf(child.pid ?? 0),
  };
}

async function start(dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<Launcher> {
  const launcher = run(dataDir, env);
  const isUp = async (): Promise<true | undefined> => {
    if (launcher.child.exitCode !== null) throw new Error(`The start failed:\n${launcher.output()}`);
    return launcher.output().includes('Ctrl-C stops everything.') ? true : undefined;
  };
  if ((await waitUntil(isUp, WAIT_LIMITS)) === undefined)
    throw new Error(`The platform is not up:\n${launcher.output()}`);
  return launcher;
}

function printedValue(launcher: Launcher, name: string): string {
  return new RegExp(`^ +${name} +(\\S+)`, 'm').exec(launcher.output())?.[1] ?? '';
}

async function statusOf(url: string, authorization: string): Promise<number> {
  const response = await fetch(url, { headers: { authorization } });
  await response.body?.cancel();
  return response.status;
}

function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((candidate) => candidate > 0 && parentOf(candidate) === pid);
}

function kindOf(pid: number): string {
  return (
    /bundles\/(control-plane|platform-api|tool-server|worker)|model-gateway|postgres|redis|nats|reaper/
      .exec(commandLineOf(pid) ?? '')
      ?.at(0)
      ?.replace('bundles/', '') ?? ''
  );
}
