import { afterEach, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { projectRoot } from '../provision/project-root.js';

const WORKER = [process.execPath, join(projectRoot, 'tools/run.mjs'), 'worker'] as const;
/** Runs the worker in a pseudo-terminal. */
const IN_TERMINAL = ['script', '-qec', WORKER.join(' '), '/dev/null'] as const;
const inTerminal = String(spawnSync('script', ['--version']).stdout).includes('util-linux') ? it : it.skip;

describe('npm run worker', () => {
  let server: Server | undefined;
  let child: ChildProcess | undefined;

  afterEach(() => {
    child?.kill('SIGKILL');
    server?.closeAllConnections();
    server?.close();
  });

  /** Runs the worker until it exits; `output` holds stdout and stderr. */
  function run(
    env: Readonly<Record<string, string>>,
    [program, ...args]: readonly [string, ...string[]] = WORKER,
  ): Promise<{ code: number | null; output: string }> {
    const { PATH, HOME } = process.env;
    const started = spawn(program, args, {
      cwd: projectRoot,
      env: { PATH, HOME, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    let output = '';
    for (const stream of [started.stdout, started.stderr]) {
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    }
    return new Promise((resolve) => started.once('close', (code) => resolve({ code, output })));
  }

  it('rejects a URL with a path and a key with characters not allowed in a header, and names both settings', async () => {
    const { code, output } = await run({ CONTROL_PLANE_URL: 'http://127.0.0.1:1/api/v1', WORKER_API_KEY: 'ak_…' });
    expect(code).toBe(78);
    expect(output).toContain('CONTROL_PLANE_URL: expected the URL of the server without a path');
    expect(output).toContain('WORKER_API_KEY: contains a character that is not allowed in a header');
  });

  /** Starts a control plane that rejects every key. Returns the settings of a worker that connects to it. */
  async function rejectKeys(): Promise<Record<string, string>> {
    server = createServer((_, response) => {
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"detail":"Invalid API key"}');
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return { CONTROL_PLANE_URL: `http://127.0.0.1:${port}`, WORKER_API_KEY: 'ak_wrong' };
  }

  it('reports a rejected key in one sentence', async () => {
    const { code, output } = await run(await rejectKeys());
    expect(code).toBe(1);
    expect(output).toContain('the control plane refuses WORKER_API_KEY');
    expect(output).not.toContain('stack');
  });

  it('logs JSON to a pipe', async () => {
    const { output } = await run(await rejectKeys());
    const line = output.split('\n').find((text) => text.includes('refuses WORKER_API_KEY')) ?? '';
    expect(JSON.parse(line)).toMatchObject({ level: 'fatal', part: 'worker' });
  });

  inTerminal('logs readable lines to a terminal', async () => {
    const { output } = await run(await rejectKeys(), IN_TERMINAL);
    expect(output).toMatch(/^\d\d:\d\d:\d\d\.\d{3} FATAL worker: .*refuses WORKER_API_KEY/m);
    expect(output).not.toContain('{"level"');
  });
});
