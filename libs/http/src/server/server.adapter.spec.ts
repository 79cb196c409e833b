import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { REQUEST_TIMEOUT_MS, ServerAdapter } from './server.adapter.js';

/** Waits for the rest of the request, or begins to answer and waits for whatever comes. */
function answerInPart(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  if (request.url === '/part') response.write('part');
}

describe('a request that no route sees', () => {
  let server: Server;
  let client: Socket;
  let received: string;

  beforeEach(async () => {
    const adapter = new ServerAdapter();
    adapter.use(answerInPart);
    adapter.initHttpServer();
    adapter.useWording({ body: ({ message }) => ({ detail: message }), challenge: 'Bearer' });
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
    [431, 'has too long an address', `GET /${'x'.repeat(17_000)} HTTP/1.1\r\nHost: platform\r\n\r\n`],
    [400, 'has a method that is none', 'BREW / HTTP/1.1\r\nHost: platform\r\n\r\n'],
    [400, 'names no host', 'GET / HTTP/1.1\r\n\r\n'],
    [400, 'breaks off its chunks', 'POST / HTTP/1.1\r\nHost: platform\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
    [417, 'expects what can not be', 'GET / HTTP/1.1\r\nHost: platform\r\nExpect: 200-ok\r\n\r\n'],
  ])('is answered %d in the form of the API where it %s', async (status, _what, request) => {
    const ended = closed();
    client.write(request);
    await ended;
    const [head = '', body = ''] = received.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toMatch(/^x-request-id: [0-9a-f-]{36}\r?$/im);
    expect(head).toMatch(/^connection: close\r?$/im);
    expect(head).toMatch(/^strict-transport-security: /im);
    expect(JSON.parse(body)).toEqual({ detail: expect.any(String) });
  });

  it('is answered 408 where it does not arrive in time, which is a minute', async () => {
    expect([server.requestTimeout, server.headersTimeout]).toEqual([REQUEST_TIMEOUT_MS, REQUEST_TIMEOUT_MS]);
    const ended = closed();
    const [socket] = (await once(server, 'connection')) as [Socket];
    client.write('GET / HT');
    server.emit('clientError', Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
    await ended;
    expect(received).toMatch(/^HTTP\/1.1 408 [^]*\{"detail":"The request took too long to arrive"\}$/);
  });

  it('is not answered where its connection is in the middle of another answer', async () => {
    client.write('GET /part HTTP/1.1\r\nHost: platform\r\n\r\n');
    await once(client, 'data');
    const ended = closed();
    client.write('BREW\r\n\r\n');
    await ended;
    expect(received).not.toContain('HTTP/1.1 400');
  });
});
