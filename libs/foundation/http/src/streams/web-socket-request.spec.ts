import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import type { HttpProblem } from '../errors/http-problem.js';
import { WebSocketSink } from './web-socket-sink.js';
import { ServerAdapter } from '../server/server.adapter.js';
import { WebSocketRequest } from './web-socket-request.js';

const STALL_MS = 50;
const KEEPALIVE = ': keepalive\n\n';

/** More bytes than the system buffers for a client that does not read. */
const LARGE = `event: large\ndata: "${'x'.repeat(32 * 1024 * 1024)}"\n\n`;

describe('a request for another protocol', () => {
  let server: Server;
  let clients: { terminate(): void }[];
  let sink: WebSocketSink;

  function serve(request: IncomingMessage, response: ServerResponse): void {
    if (request.url === '/never') return;
    if (request.url === '/socket') {
      try {
        sink = new WebSocketRequest(request, response).accept(WebSocketSink, new AbortController().signal);
      } catch (error) {
        response.writeHead((error as HttpProblem).status).end((error as HttpProblem).code);
      }
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => response.end(`read ${Buffer.concat(chunks).toString()};`));
  }

  beforeEach(async () => {
    clients = [];
    const adapter = new ServerAdapter();
    adapter.use(serve);
    adapter.initHttpServer();
    server = adapter.getHttpServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    for (const client of clients) client.terminate();
    server.close();
  });

  const port = (): number => (server.address() as AddressInfo).port;

  function openRaw(): { readonly client: Socket; readonly received: () => string } {
    const client = connect(port(), '127.0.0.1').on('error', () => undefined);
    let received = '';
    client.on('data', (bytes: Buffer) => (received += bytes.toString()));
    clients.push({ terminate: () => client.destroy() });
    return { client, received: () => received };
  }

  async function open(): Promise<{ readonly client: WebSocket; readonly socket: Socket }> {
    const client = new WebSocket(`ws://127.0.0.1:${port()}/socket`).on('error', () => undefined);
    clients.push(client);
    const [[socket]] = (await Promise.all([once(server, 'connection'), once(client, 'open')])) as [[Socket], unknown];
    return { client, socket };
  }

  it.each([
    ['h2c', 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\nConnection: Upgrade, HTTP2-Settings'],
    ['websocket', 'Connection: Upgrade'],
  ])('is served as an ordinary request, and so is the next one, if it is a POST for %s', async (protocol, header) => {
    const { client, received } = openRaw();
    const head = `POST / HTTP/1.1\r\nHost: platform\r\n${header}\r\nUpgrade: ${protocol}\r\n`;
    client.write(`${head}Content-Length: 5\r\n\r\nfirst`);
    while (!received().includes('read first;')) await once(client, 'data');
    client.write('POST / HTTP/1.1\r\nHost: platform\r\nContent-Length: 6\r\n\r\nsecond');
    while (!received().includes('read second;')) await once(client, 'data');
  });

  it('loses its connection after the idle timeout if it is not accepted', async () => {
    server.timeout = STALL_MS;
    const { client } = openRaw();
    const closed = once(client, 'close');
    client.write('GET /never HTTP/1.1\r\nHost: platform\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    await closed;
  });

  it.each(['a,', 'a, a', 'a b', 'a;b', ''])('is rejected for the subprotocols "%s"', async (protocols) => {
    const { client, received } = openRaw();
    const closed = once(client, 'close');
    client.write(
      'GET /socket HTTP/1.1\r\nHost: platform\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n' +
        `Sec-WebSocket-Protocol: ${protocols}\r\n\r\n`,
    );
    await closed;
    expect(received()).toMatch(/^HTTP\/1.1 400 [^]*malformed_request/);
  });

  it('can be idle as a WebSocket unless its client does not read', async () => {
    const { client, socket } = await open();
    sink.closeWhenStalled(STALL_MS);
    await once(socket, 'timeout');
    const pong = once(client, 'pong');
    client.ping('there');
    expect(String((await pong)[0])).toBe('there');
    client.pause();
    const closed = once(socket, 'close');
    sink.write(LARGE);
    await closed;
  });

  it('can send a limited number of pings as a WebSocket between two comments of the stream', async () => {
    const { client } = await open();
    for (const _ of ['before', 'after']) {
      for (let sent = 0; sent < 80; sent += 1) {
        // A ping that arrives while bytes are queued is not answered.
        const pong = once(client, 'pong');
        client.ping();
        await pong;
      }
      const comment = once(client, 'ping');
      sink.write(KEEPALIVE);
      await comment;
    }
    const closed = once(client, 'close');
    for (let sent = 0; sent <= 100; sent += 1) client.ping();
    expect((await closed)[0]).toBe(1008);
  });

  it('is disconnected as a WebSocket that pings and does not read', async () => {
    const { client, socket } = await open();
    client.pause();
    const closed = once(socket, 'close');
    sink.write(LARGE);
    const queued = sink.queuedBytes;
    for (let sent = 0; sent <= 100; sent += 1) {
      client.ping();
      sink.write(KEEPALIVE);
    }
    expect(queued).toBeGreaterThan(0);
    await closed;
  });
});
