import { afterEach, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { projectRoot } from '../provision/project-root.js';

describe('npm run worker', () => {
  let server: Server | undefined;
  let child: ChildProcess | undefined;

  afterEach(() => {
    child?.kill('SIGKILL');
    server?.closeAllConnections();
    server?.close();
  });

  /** Runs the worker until it exits; `output` holds stdout and stderr. */
  function run(env: Readonly<Record<string, string>>): Promise<{ code: number | null; output: string }> {
    const { PATH, HOME } = process.env;
    const started = spawn(process.execPath, [join(projectRoot, 'tools/run.mjs'), 'worker'], {
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

  it('reports a rejected key in one sentence', async () => {
    server = createServer((_, response) => {
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"detail":"Invalid API key"}');
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { code, output } = await run({ CONTROL_PLANE_URL: `http://127.0.0.1:${port}`, WORKER_API_KEY: 'ak_wrong' });
    expect(code).toBe(1);
    expect(output).toContain('the control plane refuses WORKER_API_KEY');
    expect(output).not.toContain('stack');
  });
});
