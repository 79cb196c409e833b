import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { BodyBounds } from './body-bounds.js';
import { ByteBudget } from './byte-budget.js';
import { readBody } from './read-body.js';

const LIMIT = 1000;

describe('readBody', () => {
  let server: Server;
  let client: Socket;
  let budget: ByteBudget;

  beforeEach(async () => {
    budget = new ByteBudget(LIMIT);
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined).resume();
  });
  afterEach(() => {
    client.destroy();
    server.close();
  });

  async function send(
    body: Buffer,
    headers: Readonly<Record<string, string>> = {},
    bounds: BodyBounds = { limit: LIMIT, budget },
  ): Promise<{ bytes: Promise<Buffer>; response: ServerResponse }> {
    const all = { Host: 'platform', 'Content-Length': String(body.length), ...headers };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    client.write(`POST / HTTP/1.1\r\n${lines.join('')}\r\n`);
    client.write(body);
    const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
    const bytes = readBody(request, response, bounds);
    bytes.catch(() => undefined);
    return { bytes, response };
  }

  const text = Buffer.from('{"name":"x"}');

  it.each([
    ['gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
    ['identity', text],
  ])('decodes the encoding %s', async (encoding, body) => {
    const { bytes } = await send(body, { 'Content-Encoding': encoding });
    expect((await bytes).toString()).toBe(text.toString());
  });

  it('rejects a body above the limit after decompression, and releases its bytes', async () => {
    const { bytes } = await send(gzipSync(Buffer.alloc(LIMIT + 1)), { 'Content-Encoding': 'gzip' });
    await expect(bytes).rejects.toMatchObject({
      status: 413,
      message: 'The body is too large: at most 1000 bytes, decompressed',
    });
    expect(() => budget.reserve(LIMIT)).not.toThrow();
  });

  it('rejects a body that does not match its encoding, and unknown encodings', async () => {
    const broken = await send(text, { 'Content-Encoding': 'gzip' });
    await expect(broken.bytes).rejects.toMatchObject({ status: 400, message: 'Bad request' });
    broken.response.end();
    for (const encoding of ['zstd', 'constructor', '__proto__']) {
      const unknown = await send(text, { 'Content-Encoding': encoding });
      await expect(unknown.bytes).rejects.toMatchObject({ status: 415 });
      unknown.response.end();
    }
  });

  it('rejects with server_busy while other bodies use the budget, and releases its bytes with the response', async () => {
    const first = await send(Buffer.alloc(600));
    await first.bytes;
    expect(() => budget.reserve(401)).toThrow(expect.objectContaining({ code: 'server_busy' }));
    first.response.end();
    await once(first.response, 'close');
    const second = await send(Buffer.alloc(600));
    expect((await second.bytes).length).toBe(600);
    budget.reserve(400);
    second.response.end();
    await once(second.response, 'close');
    const third = await send(Buffer.alloc(700));
    await expect(third.bytes).rejects.toMatchObject({ code: 'server_busy' });
  });

  it('rejects and releases its bytes when the client disconnects before the end', async () => {
    const { bytes } = await send(Buffer.alloc(500), { 'Content-Length': '900' });
    client.destroy();
    await expect(bytes).rejects.toMatchObject({ status: 400 });
    expect(() => budget.reserve(LIMIT)).not.toThrow();
  });

  it('reserves no bytes after the client has disconnected, even if data is still being decompressed', async () => {
    const large = { limit: 1_048_576, budget: new ByteBudget(1_048_576) };
    const { bytes } = await send(gzipSync(Buffer.alloc(large.limit)), { 'Content-Encoding': 'gzip' }, large);
    client.resetAndDestroy();
    await expect(bytes).rejects.toMatchObject({ status: 400 });
    expect(() => large.budget.reserve(large.limit)).not.toThrow();
  });

  it('rejects if the client disconnected before the call', async () => {
    client.write('POST / HTTP/1.1\r\nHost: platform\r\nContent-Length: 2\r\n\r\n{}');
    const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
    request.on('error', () => undefined);
    client.resetAndDestroy();
    await once(response, 'close');
    await expect(readBody(request, response, { limit: LIMIT, budget })).rejects.toMatchObject({ status: 400 });
  });
});
