import { createSocket, type Socket as DnsSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EgressGuard } from '../egress-guard.js';
import { DeliverySender } from './delivery-sender.js';

/** Used as a public address: the configuration allows it, unlike the private one. */
const PUBLIC = '127.0.0.2';
const PRIVATE = '127.0.0.1';
const TYPE_A = 1;

/**
 * A DNS server that responds to each query for an address with the next address of the list, and with the last one when
 * the list is exhausted.
 */
class ChangingDns {
  /** The addresses with which it responded. */
  readonly answers: string[] = [];
  private readonly socket: DnsSocket = createSocket('udp4');

  private constructor(private readonly addresses: readonly string[]) {
    this.socket.on('message', (query, { address, port }) => this.socket.send(this.answer(query), port, address));
  }

  static async start(...addresses: readonly string[]): Promise<ChangingDns> {
    const dns = new ChangingDns(addresses);
    dns.socket.bind(0, PRIVATE);
    await once(dns.socket, 'listening');
    return dns;
  }

  get resolver(): Resolver {
    const resolver = new Resolver({ timeout: 5000, tries: 1 });
    resolver.setServers([`${PRIVATE}:${this.socket.address().port}`]);
    return resolver;
  }

  close(): void {
    this.socket.close();
  }

  /**
   * Returns a response (RFC 1035): the header and the question of the query, then one address with lifetime 0, or none.
   */
  private answer(query: Buffer): Buffer {
    const nameEnd = query.indexOf(0, 12);
    const question = query.subarray(12, nameEnd + 5);
    const isAddress = query.readUInt16BE(nameEnd + 1) === TYPE_A;
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x81_80, 2);
    for (const [index, count] of [1, isAddress ? 1 : 0, 0, 0].entries()) header.writeUInt16BE(count, 4 + 2 * index);
    if (!isAddress) return Buffer.concat([header, question]);
    const address = this.addresses[Math.min(this.answers.length, this.addresses.length - 1)] ?? PRIVATE;
    this.answers.push(address);
    // A pointer to the name of the question, type A, class IN, lifetime 0, four bytes.
    const record = [0xc0, 12, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)];
    return Buffer.concat([header, question, Buffer.from(record)]);
  }
}

describe('DeliverySender', () => {
  let server: Server;
  let requests: string[];
  let dns: ChangingDns | undefined;
  let port: number;

  beforeEach(async () => {
    [requests, dns] = [[], undefined];
    // The server listens on both addresses.
    server = createServer((request, response) => {
      requests.push(`${request.socket.localAddress ?? ''} ${request.headers.host ?? ''}`);
      if (request.url === '/redirect')
        response.writeHead(302, { Location: 'http://169.254.169.254/latest/meta-data' }).end();
      else if (request.url === '/headers') respondWithHeaders(response);
      else if (request.url === '/gigabyte') stream(response);
      else response.end('ok');
    });
    server.listen(0, '0.0.0.0');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });

  afterEach(() => {
    dns?.close();
    server.closeAllConnections();
    server.close();
  });

  function respondWithHeaders(response: ServerResponse): void {
    response.setHeader('X-Large', 'x'.repeat(3000));
    response.setHeader('Set-Cookie', ['b=1', 'c=2']);
    response.writeHead(429, { 'X-First': 'a', 'Content-Length': '0', 'Retry-After': '7' }).end();
  }

  /** Writes until the other side closes. */
  function stream(response: NodeJS.WritableStream): void {
    const chunk = Buffer.alloc(65_536, 'x');
    const write = (): void => {
      while (response.writable && response.write(chunk));
    };
    response.on('drain', write).on('error', () => undefined);
    write();
  }

  function send(path: string, resolver: Resolver): ReturnType<DeliverySender['send']> {
    const config = { allowedHosts: [PUBLIC], timeoutMs: 20_000, retryDelays: [], maxPending: 0, maxStoredBytes: 0 };
    const sender = new DeliverySender(new EgressGuard(config, resolver), config);
    return sender.send(`http://rebound.example:${port}${path}`, {}, '{}');
  }

  it('connects to the address that was checked, even if the name resolves to another one afterwards', async () => {
    dns = await ChangingDns.start(PUBLIC, PRIVATE);
    expect(await send('/', dns.resolver)).toMatchObject({ response_status: 200, response_body: 'ok', error: null });
    expect(requests).toEqual([`${PUBLIC} rebound.example:${port}`]);
    expect(dns.answers).toEqual([PUBLIC]);

    const rebound = await send('/', dns.resolver);
    expect(rebound).toMatchObject({ response_status: null, error: expect.stringContaining('private address') });
    expect(requests).toHaveLength(1);
  });

  it('does not follow a redirect to the metadata address', async () => {
    dns = await ChangingDns.start(PUBLIC);
    const error = 'Status 302: redirects are not followed';
    expect(await send('/redirect', dns.resolver)).toMatchObject({ response_status: 302, error });
    expect(requests).toHaveLength(1);
  });

  it('stops reading a response without an end, and keeps its beginning', async () => {
    dns = await ChangingDns.start(PUBLIC);
    const result = await send('/gigabyte', dns.resolver);
    expect(result).toMatchObject({ response_status: 200, error: 'The response exceeds 65536 bytes' });
    expect(result.response_body).toBe('x'.repeat(4096));
  });

  const interim = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
  const timeout = 'No complete response within 500 ms';
  const hostile: [string, (socket: Socket) => void, string][] = [
    [
      'status 101 with an upgrade',
      (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nmore'),
      'Status 101: the protocol is not changed',
    ],
    [
      'status 101 without an upgrade',
      (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
      'Status 101: the protocol is not changed',
    ],
    ['a few interim responses and no response', (socket) => socket.write(interim), timeout],
    ['interim responses without an end', (socket) => socket.write(interim.repeat(100)), 'Too many interim responses'],
    ['interim responses and the end of the connection', (socket) => socket.end(interim), 'ECONNRESET'],
    [
      'headers without an end',
      (socket) => socket.write(`HTTP/1.1 200 OK\r\nA: ${'x'.repeat(100_000)}`),
      'HPE_HEADER_OVERFLOW',
    ],
    ['half of the headers', (socket) => socket.write('HTTP/1.1 200 OK\r\nA: '), timeout],
    [
      'half of the headers and the end of the connection',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nA: '),
      'ECONNRESET',
    ],
    ['half of the body', (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'), timeout],
    [
      'half of the body and the end of the connection',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'),
      'ECONNRESET',
    ],
    [
      'trailers without an end',
      (socket) => socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: ${'x'.repeat(100_000)}`),
      'ECONNRESET',
    ],
    ['the end of the connection', (socket) => socket.end(), 'ECONNRESET'],
    ['a reset of the connection', (socket) => socket.resetAndDestroy(), 'ECONNRESET'],
    ['no HTTP', (socket) => socket.write('hello\r\n\r\n'), 'HPE_INVALID_CONSTANT'],
  ];

  it.each(hostile)('ends an attempt that is answered with %s', async (_name, answer, error) => {
    dns = await ChangingDns.start(PUBLIC);
    const raw = createTcpServer((socket) => socket.on('error', () => undefined).once('data', () => answer(socket)));
    raw.listen(0, '0.0.0.0');
    await once(raw, 'listening');
    const { port: rawPort } = raw.address() as AddressInfo;
    const config = { allowedHosts: [PUBLIC], timeoutMs: 500, retryDelays: [], maxPending: 0, maxStoredBytes: 0 };
    const sender = new DeliverySender(new EgressGuard(config, dns.resolver), config);
    expect(await sender.send(`http://rebound.example:${rawPort}/`, {}, '{}')).toMatchObject({ error });
    raw.close();
    await once(raw, 'close');
  });

  it('keeps the headers of a response, those beyond 2 KiB excepted', async () => {
    dns = await ChangingDns.start(PUBLIC);
    expect((await send('/headers', dns.resolver)).response_headers).toEqual({
      'retry-after': '7',
      'x-first': 'a',
      date: expect.any(String),
      connection: expect.any(String),
      'content-length': '0',
      'set-cookie': 'b=1, c=2',
    });
  });
});
