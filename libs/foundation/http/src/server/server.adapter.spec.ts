import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MAX_PIPELINED, REQUEST_TIMEOUT_MS, ServerAdapter, IDLE_TIMEOUT_MS } from './server.adapter.js';

/** Never completes a response. For `/part`, writes the first part of the response. */
function respondPartially(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  if (request.url === '/part') response.write('part');
}

describe('a request that reaches no route', () => {
  let server: Server;
  let client: Socket;
  let received: string;

  beforeEach(async () => {
    const adapter = new ServerAdapter();
    adapter.use(respondPartially);
    adapter.initHttpServer();
    adapter.useErrorFormat({ body: ({ message }) => ({ detail: message }), challenge: 'Bearer' });
    server = adapter.getHttpServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    received = '';
    client.on('error', () => undefined).on('data', (bytes: Buffer) => (received += bytes.toString()));
  });
  afterEach(() => {
    client.destroy();
    server.close();
  });

  const closed = (): Promise<unknown> => new Promise((resolve) => client.once('close', resolve));

  it.each([
    [431, 'headers_too_large', 'has a too long URL', `GET /${'x'.repeat(17_000)} HTTP/1.1\r\nHost: platform\r\n\r\n`],
    [400, 'malformed_request', 'has an unknown method', 'BREW / HTTP/1.1\r\nHost: platform\r\n\r\n'],
    [400, 'host_header_missing', 'has no Host header', 'GET / HTTP/1.1\r\n\r\n'],
    [
      400,
      'malformed_request',
      'has an invalid chunk',
      'POST / HTTP/1.1\r\nHost: platform\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    ],
    [
      417,
      'expectation_failed',
      'has an unsupported Expect header',
      'GET / HTTP/1.1\r\nHost: platform\r\nExpect: 200-ok\r\n\r\n',
    ],
  ])(
    'gets status %d with the code %s in the error format of the API if it %s',
    async (status, code, _what, request) => {
      const ended = closed();
      client.write(request);
      await ended;
      const [head = '', body = ''] = received.split('\r\n\r\n');
      expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(head).toMatch(/^x-request-id: [0-9a-f-]{36}\r?$/im);
      expect(head).toMatch(new RegExp(`^x-error-code: ${code}\\r?$`, 'im'));
      expect(head).toMatch(/^connection: close\r?$/im);
      expect(head).toMatch(/^strict-transport-security: /im);
      expect(JSON.parse(body)).toEqual({ detail: expect.any(String) });
    },
  );

  it('gets status 408 if it does not arrive within the request timeout', async () => {
    expect([server.requestTimeout, server.headersTimeout]).toEqual([REQUEST_TIMEOUT_MS, REQUEST_TIMEOUT_MS]);
    const ended = closed();
    const [socket] = (await once(server, 'connection')) as [Socket];
    client.write('GET / HT');
    server.emit('clientError', Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
    await ended;
    expect(received).toMatch(
      /^HTTP\/1.1 408 [^]*X-Error-Code: request_timeout[^]*\{"detail":"The request took too long to arrive"\}$/,
    );
  });

  it('gets no response while its connection is sending another response', async () => {
    client.write('GET /part HTTP/1.1\r\nHost: platform\r\n\r\n');
    await once(client, 'data');
    const ended = closed();
    client.write('BREW\r\n\r\n');
    await ended;
    expect(received).not.toContain('HTTP/1.1 400');
  });
});

describe('pipelined requests', () => {
  const begun: ServerResponse[] = [];
  let server: Server;
  let client: Socket;

  beforeEach(async () => {
    begun.length = 0;
    const adapter = new ServerAdapter();
    adapter.use((_request: IncomingMessage, response: ServerResponse) => begun.push(response));
    adapter.initHttpServer();
    server = adapter.getHttpServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined);
  });
  afterEach(() => {
    client.destroy();
    server.close();
  });

  const send = (count: number): void => void client.write('GET / HTTP/1.1\r\nHost: platform\r\n\r\n'.repeat(count));
  const answered = async (position: number): Promise<void> => {
    begun[position]?.end(`answer ${position}`);
    await once(client, 'data');
  };

  it('begin in order, each after the response to the previous one is complete', async () => {
    const arrived: ServerResponse[] = [];
    server.on('request', (_request, response) => arrived.push(response));
    send(3);
    await once(server, 'request');
    for (const position of [0, 1, 2]) {
      expect([arrived.length, begun.length]).toEqual([3, position + 1]);
      await answered(position);
    }
  });

  it('never begin if a previous response closes the connection', async () => {
    send(2);
    await once(server, 'request');
    begun[0]?.setHeader('Connection', 'close');
    const closed = once(client, 'close');
    await answered(0);
    await closed;
    expect(begun).toHaveLength(1);
  });

  it('close the connection if there are too many', async () => {
    send(MAX_PIPELINED + 1);
    await once(server, 'request');
    expect(client.closed).toBe(false);
    const closed = once(client, 'close');
    send(1);
    await closed;
    expect(begun).toHaveLength(1);
  });
});

describe('a response that the client does not read', () => {
  it('is aborted with its connection after the idle timeout', async () => {
    const adapter = new ServerAdapter();
    adapter.use((_request: IncomingMessage, response: ServerResponse) => response.end('x'.repeat(64 * 1024 * 1024)));
    adapter.initHttpServer();
    const server: Server = adapter.getHttpServer();
    expect(server.timeout).toBe(IDLE_TIMEOUT_MS);
    expect(IDLE_TIMEOUT_MS).toBeGreaterThan(REQUEST_TIMEOUT_MS);
    server.timeout = 50;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
    client.on('error', () => undefined);
    const [socket] = (await once(server, 'connection')) as [Socket];
    client.write('GET / HTTP/1.1\r\nHost: platform\r\n\r\n');
    await once(socket, 'close');
    client.destroy();
    server.close();
  });
});
