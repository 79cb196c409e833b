import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createControlPlaneClient, createPlatformApiClient, unwrap } from './client.js';
import { retryingFetch, type RetryRules } from './retrying-fetch.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const fast = { retries: 3, baseDelayMs: 1, maxDelayMs: 2 };

describe('retryingFetch', () => {
  let server: Server | undefined;

  afterEach(() => {
    server?.close();
  });

  async function serve(
    handle: (request: IncomingMessage, response: ServerResponse, call: number) => void,
  ): Promise<string> {
    let calls = 0;
    server = createServer((request, response) => handle(request, response, (calls += 1)));
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it('retries a GET after 503 and waits for Retry-After', async () => {
    const url = await serve((_request, response, call) => {
      response.writeHead(call < 3 ? 503 : 200, call < 3 ? { 'Retry-After': '0' } : {}).end(String(call));
    });
    const response = await retryingFetch(fast)(url);
    expect([response.status, await response.text()]).toEqual([200, '3']);
  });

  it('retries a GET after a connection failure', async () => {
    const url = await serve((request, response, call) => {
      if (call === 1) request.socket.destroy();
      else response.end('there');
    });
    expect(await (await retryingFetch(fast)(url)).text()).toBe('there');
  });

  it('never retries a POST without an Idempotency-Key', async () => {
    let calls = 0;
    const url = await serve((_request, response) => {
      calls += 1;
      response.writeHead(503).end();
    });
    expect((await retryingFetch(fast)(url, { method: 'POST', body: '{}' })).status).toBe(503);
    expect(calls).toBe(1);
  });

  it('sends the same body and key with every retry of a POST', async () => {
    const requests: string[] = [];
    const url = await serve((request, response, call) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        requests.push(`${request.headers['idempotency-key']} ${Buffer.concat(chunks).toString()}`);
        response.writeHead(call < 2 ? 503 : 201, { 'Content-Type': 'application/json' }).end('{"id":"1"}');
      });
    });
    const client = createControlPlaneClient({ baseUrl: url, apiKey: 'k', retries: fast });
    await unwrap(client.POST('/api/v1/agents', { body: { name: 'a' } }));
    expect(requests).toHaveLength(2);
    expect(new Set(requests).size).toBe(1);
    expect(requests[0]).toMatch(/^[0-9a-f-]{36} \{"name":"a"\}$/);
  });

  it.each(['/api/v1/auth/keys', '/api/v1/auth/keys/{key_id}/rotate'] as const)(
    'never retries POST %s, whose response is not stored, even with a key of the caller',
    async (path) => {
      const keys: unknown[] = [];
      const url = await serve((request) => {
        keys.push(request.headers['idempotency-key']);
        request.socket.destroy();
      });
      const client = createPlatformApiClient({ baseUrl: url, apiKey: 'k', retries: fast });
      const options = { params: { path: { key_id: 'k' } }, headers: { 'Idempotency-Key': 'mine' } };
      await expect(client.POST(path, { body: { name: 'a' }, ...options })).rejects.toThrow();
      expect(keys).toEqual([undefined]);
    },
  );

  it('retries a POST that is naturally idempotent', async () => {
    const url = await serve((_request, response, call) => {
      response.writeHead(call < 2 ? 503 : 200, { 'Content-Type': 'application/json' }).end('{"status":"cancelled"}');
    });
    const client = createPlatformApiClient({ baseUrl: url, apiKey: 'k', retries: fast });
    const params = { path: { id: 'e' } };
    expect(await unwrap(client.POST('/api/v1/executions/{id}/cancel', { params }))).toEqual({ status: 'cancelled' });
  });

  it('retries a POST after the conflict that its first attempt is still running, but after no other conflict', async () => {
    const codes = ['idempotent_request_running', 'environment_name_taken'];
    const url = await serve((_request, response, call) => {
      response
        .writeHead(409, { 'Content-Type': 'application/json', 'X-Error-Code': codes[call - 1] ?? 'too many calls' })
        .end(JSON.stringify({ detail: 'The same text' }));
    });
    const client = createControlPlaneClient({ baseUrl: url, apiKey: 'k', retries: fast });
    await expect(unwrap(client.POST('/api/v1/agents', { body: { name: 'a' } }))).rejects.toMatchObject({
      status: 409,
      code: 'environment_name_taken',
      body: { detail: 'The same text' },
    });
  });

  it('decides by the status alone if a response has no code, whatever its text', async () => {
    let calls = 0;
    const url = await serve((_request, response) => {
      calls += 1;
      response.writeHead(409).end('{"detail":"A request with this Idempotency-Key is still running"}');
    });
    const client = createControlPlaneClient({ baseUrl: url, apiKey: 'k', retries: fast });
    const created = unwrap(client.POST('/api/v1/agents', { body: { name: 'a' } }));
    await expect(created).rejects.toMatchObject({ status: 409, code: null });
    expect(calls).toBe(1);
  });

  it('retries any request after 429, because it was not executed', async () => {
    const url = await serve((_request, response, call) => {
      response.writeHead(call < 3 ? 429 : 201, call < 3 ? { 'Retry-After': '0' } : {}).end();
    });
    expect((await retryingFetch(fast)(url, { method: 'POST', body: '{}' })).status).toBe(201);
  });

  it('does not wait for a Retry-After above a minute but reports its seconds in the error', async () => {
    let calls = 0;
    const url = await serve((_request, response) => {
      calls += 1;
      response.writeHead(429, { 'Retry-After': '61', 'Content-Type': 'application/json' }).end('{"detail":"later"}');
    });
    const client = createControlPlaneClient({ baseUrl: url, apiKey: 'k', retries: fast });
    await expect(unwrap(client.GET('/api/v1/agents'))).rejects.toMatchObject({
      status: 429,
      retryAfterSeconds: 61,
      message: expect.stringContaining('retry after 61 s'),
    });
    expect(calls).toBe(1);
  });

  it('returns a response with a longer Retry-After than it may wait for', async () => {
    const url = await serve((_request, response) => void response.writeHead(429, { 'Retry-After': '3' }).end());
    expect((await retryingFetch({ ...fast, maxRetryAfterMs: 2000 })(url)).headers.get('retry-after')).toBe('3');
  });

  it('waits longer after each further 429, even if its Retry-After is 0', async () => {
    const url = await serve((_request, response) => void response.writeHead(429, { 'Retry-After': '0' }).end());
    const timers = jest.spyOn(globalThis, 'setTimeout');
    await retryingFetch({ retries: 3, baseDelayMs: 40, maxDelayMs: 160 })(url);
    // The filter excludes the timers of `fetch` itself, which are longer.
    const delays = timers.mock.calls.map(([, delay]) => Number(delay)).filter((delay) => delay >= 1 && delay <= 160);
    timers.mockRestore();
    expect(delays).toHaveLength(3);
    for (const [index, delay] of delays.entries()) expect(delay).toBeGreaterThanOrEqual(20 * 2 ** index);
  });

  it('aborts a wait for Retry-After with the signal of the request', async () => {
    const stop = new AbortController();
    const url = await serve((_request, response) => void response.writeHead(503, { 'Retry-After': '60' }).end());
    const rules: RetryRules = {
      isRepeatable: () => true,
      isTransient: ({ status }) => status === 503,
      // Called right before the wait.
      now: () => {
        setImmediate(() => stop.abort(new Error('stopped')));
        return Date.now();
      },
    };
    const startedAt = performance.now();
    await expect(retryingFetch(fast, rules)(url, { signal: stop.signal })).rejects.toThrow('stopped');
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });

  it.each([
    ['the response', (): undefined => undefined],
    ['its body', (response: ServerResponse) => void response.writeHead(200).write('a')],
  ])('rejects when the signal is aborted while %s is awaited, also after garbage collections', async (_name, begin) => {
    const url = await serve((_request, response) => begin(response));
    const collecting = setInterval(collectGarbage, 10);
    const read = async (signal: AbortSignal): Promise<string> => {
      const response = await retryingFetch(fast)(new Request(url, { signal }));
      return new Response(response.body).text();
    };
    await expect(read(AbortSignal.timeout(500))).rejects.toThrow('timeout');
    clearInterval(collecting);
    server?.closeAllConnections();
  });

  it('returns the last response when no retry is left', async () => {
    let calls = 0;
    const url = await serve((_request, response) => {
      calls += 1;
      response.writeHead(429).end();
    });
    expect((await retryingFetch(fast)(url)).status).toBe(429);
    expect(calls).toBe(4);
  });
});
