import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { SseResponse } from './sse-response.js';

/** More than a connection takes by itself while nobody reads. */
const MUCH = Buffer.alloc(32 * 1_048_576, 'x');
const SOON_MS = 100;
const LONG = 60_000;

describe('a stream to a client', () => {
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

  it(
    'that reads no more is closed, and whoever waits for it to drain is told',
    async () => {
      sink.closeWhenStalled(SOON_MS);
      sink.write(MUCH);
      expect(await sink.drained()).toBe(false);
      await closed();
    },
    LONG,
  );

  it(
    'that reads no more does not hold an ended stream either',
    async () => {
      sink.closeWhenStalled(SOON_MS);
      sink.write(MUCH);
      sink.end();
      await closed();
    },
    LONG,
  );

  it(
    'that reads slowly gets everything, though one write takes many times as long as a stall may',
    async () => {
      const stallMs = 1_000;
      sink.closeWhenStalled(stallMs);
      const startedAt = performance.now();
      sink.write(MUCH);
      sink.end();
      let received = 0;
      client.on('data', (chunk: Buffer) => {
        received += chunk.length;
        // As long as it has not lasted for several stalls.
        if (performance.now() - startedAt > 4 * stallMs) return;
        client.pause();
        setTimeout(() => client.resume(), 20);
      });
      await eventually(() => expect(received).toBeGreaterThan(MUCH.length), LONG);
    },
    LONG,
  );

  it(
    'may be idle for longer than a stall may last',
    async () => {
      client.resume();
      sink.closeWhenStalled(SOON_MS);
      sink.write('first');
      await once(response, 'timeout');
      expect(response.destroyed).toBe(false);
      sink.write('second');
      await once(response, 'timeout');
      expect(response.destroyed).toBe(false);
    },
    LONG,
  );
});
