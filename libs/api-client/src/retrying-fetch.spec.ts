import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createControlPlaneClient, createPlatformApiClient, unwrap } from './client.js';
import { retryingFetch } from './retrying-fetch.js';

const fast = { retries: 3, baseDelayMs: 1, maxDelayMs: 2 };

describe('a repeating client', () => {
  let server: Server | undefined;

  afterEach(() => {
    server?.close();
  });

  async function serve(
    answer: (request: IncomingMessage, response: ServerResponse, call: number) => void,
  ): Promise<string> {
    let calls = 0;
    server = createServer((request, response) => answer(request, response, (calls += 1)));
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it('repeats a read that is refused for a while, and honours Retry-After', async () => {
    const url = await serve((_request, response, call) => {
      response.writeHead(call < 3 ? 503 : 200, call < 3 ? { 'Retry-After': '0' } : {}).end(String(call));
    });
    const response = await retryingFetch(fast)(url);
    expect([response.status, await response.text()]).toEqual([200, '3']);
  });

  it('repeats a request whose connection broke', async () => {
    const url = await serve((request, response, call) => {
      if (call === 1) request.socket.destroy();
      else response.end('there');
    });
    expect(await (await retryingFetch(fast)(url)).text()).toBe('there');
  });

  it('never repeats a POST without an Idempotency-Key', async () => {
    let calls = 0;
    const url = await serve((_request, response) => {
      calls += 1;
      response.writeHead(503).end();
    });
    expect((await retryingFetch(fast)(url, { method: 'POST', body: '{}' })).status).toBe(503);
    expect(calls).toBe(1);
  });

  it('sends the same body and the same key with every repetition of a POST', async () => {
    const seen: string[] = [];
    const url = await serve((request, response, call) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        seen.push(`${request.headers['idempotency-key']} ${Buffer.concat(chunks).toString()}`);
        response.writeHead(call < 2 ? 503 : 201, { 'Content-Type': 'application/json' }).end('{"id":"1"}');
      });
    });
    const client = createControlPlaneClient({ baseUrl: url, apiKey: 'k', retries: fast });
    await unwrap(client.POST('/api/v1/agents', { body: { name: 'a' } }));
    expect(seen).toHaveLength(2);
    expect(new Set(seen).size).toBe(1);
    expect(seen[0]).toMatch(/^[0-9a-f-]{36} \{"name":"a"\}$/);
  });

  it('never repeats the minting of a key, which has no answer to give again', async () => {
    let calls = 0;
    const url = await serve((request) => {
      calls += 1;
      request.socket.destroy();
    });
    const client = createPlatformApiClient({ baseUrl: url, apiKey: 'k', retries: fast });
    await expect(client.POST('/api/v1/auth/keys', { body: { name: 'a' } })).rejects.toThrow();
    expect(calls).toBe(1);
  });

  it('repeats a POST whose first try still runs, and no other conflict', async () => {
    const details = ['A request with this Idempotency-Key is still running', 'The name is taken', 'never asked'];
    const url = await serve((_request, response, call) => {
      response
        .writeHead(409, { 'Content-Type': 'application/json' })
        .end(JSON.stringify({ detail: details[call - 1] }));
    });
    const client = createControlPlaneClient({ baseUrl: url, apiKey: 'k', retries: fast });
    await expect(unwrap(client.POST('/api/v1/agents', { body: { name: 'a' } }))).rejects.toMatchObject({
      status: 409,
      body: { detail: 'The name is taken' },
    });
  });

  it('gives up after its tries and hands the refusal on', async () => {
    let calls = 0;
    const url = await serve((_request, response) => {
      calls += 1;
      response.writeHead(429).end();
    });
    expect((await retryingFetch(fast)(url)).status).toBe(429);
    expect(calls).toBe(4);
  });
});
