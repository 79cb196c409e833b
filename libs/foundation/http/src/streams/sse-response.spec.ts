import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { SseResponse } from './sse-response.js';

/** More than the system buffers for a connection whose client does not read. */
const MUCH = Buffer.alloc(32 * 1_048_576, 'x');
const SOON_MS = 100;

describe('a stream of server-sent events', () => {
  let server: Server;
  let client: Socket;
  let response: ServerResponse;
  let sink: SseResponse;

  beforeEach(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined);
    client.write('GET / HTTP/1.1\r\nHost: platform\r\n\r\n');
    [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
    sink = new SseResponse(response, new AbortController().signal);
  });
  afterEach(() => {
    client.destroy();
    server.closeAllConnections();
    server.close();
  });

  const closed = (): Promise<void> => new Promise((resolve) => sink.onClose(resolve));

  it('closes when its client stops reading, and `drained` resolves with false', async () => {
    sink.closeWhenStalled(SOON_MS);
    sink.write(MUCH);
    expect(await sink.drained()).toBe(false);
    await closed();
  });

  it('closes after `end` as well when its client stops reading', async () => {
    sink.closeWhenStalled(SOON_MS);
    sink.write(MUCH);
    sink.end();
    await closed();
  });

  it('delivers everything to a slow client, even if one write takes many times the stall limit', async () => {
    const stallMs = 1_000;
    sink.closeWhenStalled(stallMs);
    const startedAt = performance.now();
    sink.write(MUCH);
    sink.end();
    let received = 0;
    client.on('data', (chunk: Buffer) => {
      received += chunk.length;
      // Repeats until several stall limits have passed.
      if (performance.now() - startedAt > 4 * stallMs) return;
      client.pause();
      setTimeout(() => client.resume(), 20);
    });
    await eventually(() => expect(received).toBeGreaterThan(MUCH.length));
  });

  it('may be idle for longer than the stall limit', async () => {
    client.resume();
    sink.closeWhenStalled(SOON_MS);
    sink.write('first');
    await once(response, 'timeout');
    expect(response.destroyed).toBe(false);
    sink.write('second');
    await once(response, 'timeout');
    expect(response.destroyed).toBe(false);
  });
});
