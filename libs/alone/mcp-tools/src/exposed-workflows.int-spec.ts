import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@app/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ExposedWorkflows } from './exposed-workflows.js';

const LIMITS = { cacheMs: 600_000, maxBytes: 1_000_000 };

describe('ExposedWorkflows', () => {
  let server: Server;
  let url: string;
  let requests: number;
  /** What the platform answers; null for no answer. */
  let answer: { readonly status: number; readonly body: unknown } | null;
  let warnings: string[];

  beforeEach(async () => {
    [requests, warnings] = [0, []];
    answer = { status: 200, body: [workflow('greet', '0000-aaaaaaaaaaa0')] };
    server = createServer((request, response) => {
      requests += 1;
      if (answer === null) request.socket.destroy();
      else response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer.body));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  const workflow = (name: string, id: string, prompt = 'p'): object => {
    return { id, name, description: null, status: 'active', steps: [{ name: 'say', type: 'prompt', prompt }] };
  };
  const create = (limits = LIMITS): ExposedWorkflows =>
    new ExposedWorkflows({ url, timeoutMs: 5000 }, (message) => warnings.push(message), limits);
  const toolsOf = async (exposed: ExposedWorkflows, apiKey: string): Promise<string[]> =>
    (await exposed.of(() => ({ apiKey, subject: null }))).map(({ tool }) => tool);

  it('are read once for simultaneous and later requests of one key', async () => {
    const exposed = create();
    await Promise.all([toolsOf(exposed, 'ann'), toolsOf(exposed, 'ann')]);
    expect(await toolsOf(exposed, 'ann')).toEqual(['run_greet']);
    expect(requests).toBe(1);
    await toolsOf(exposed, 'bob');
    expect(requests).toBe(2);
  });

  it('keep a bounded number of bytes, and not the steps', async () => {
    const many = Array.from({ length: 100 }, (_, n) =>
      workflow(`w${n}`, `0000-aaaaaaaaaa${n + 10}`, 'x'.repeat(10_000)),
    );
    answer = { status: 200, body: many };
    const exposed = create({ ...LIMITS, maxBytes: 50_000 });
    for (let n = 0; n < 20; n += 1) expect(await toolsOf(exposed, `key ${n}`)).toHaveLength(100);
    expect(exposed.cachedBytes).toBeGreaterThan(0);
    expect(exposed.cachedBytes).toBeLessThanOrEqual(50_000);
  });

  it('remain while the platform does not respond, and vanish when it rejects the key', async () => {
    const exposed = create({ ...LIMITS, cacheMs: 1 });
    expect(await toolsOf(exposed, 'ann')).toEqual(['run_greet']);
    answer = null;
    await eventually(async () => {
      expect(await toolsOf(exposed, 'ann')).toEqual(['run_greet']);
      expect(requests).toBeGreaterThan(1);
    });
    answer = { status: 401, body: { errorCode: 'INVALID_API_KEY' } };
    await eventually(async () => expect(await toolsOf(exposed, 'ann')).toEqual([]));
  });

  it('are reported once if they can have no tool', async () => {
    const id = '0000-aaaaaaaaaaa0';
    answer = { status: 200, body: [workflow('greet', id), workflow('Greet', `1${id}`), workflow('other', '0-1')] };
    const exposed = create();
    for (const key of ['ann', 'bob']) expect(await toolsOf(exposed, key)).toEqual(['run_other']);
    expect(warnings.map((text) => /^The workflow (\S+) has no tool/.exec(text)?.[1])).toEqual([id, `1${id}`]);
  });
});
