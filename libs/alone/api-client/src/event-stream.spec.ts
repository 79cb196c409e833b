import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { streamEvents, StreamRefused } from './event-stream.js';

const frame = (n: number, event = 'message_chunk'): string =>
  `id: run_${n}_${n}\nevent: ${event}\ndata: {"data":{"n":${n}},"timestamp":"2026-01-01T00:00:00.000Z"}\n\n`;

describe('streamEvents', () => {
  let server: Server | undefined;

  afterEach(() => {
    server?.close();
  });

  async function serve(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
    server?.close();
    server = createServer(handle);
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Serves the events 1 to `last` and `done`. Breaks one connection after each of the given numbers of bytes. */
  async function serveBreaking(last: number, breaks: readonly number[]): Promise<string> {
    const remainingBreaks = [...breaks];
    return serve((request, response) => {
      const after = Number(String(request.headers['last-event-id'] ?? 'run_0_0').split('_')[1]);
      const frames = Array.from({ length: last - after }, (_, index) => frame(after + index + 1)).join('');
      const opening = ['connected', 'message', 'message', 'history_complete'];
      const opened = opening.map((event, index) => `event: ${event}\ndata: {"index":${index}}\n\n`).join('');
      // After the last `done` of the log, the server adds one without an id.
      const end = after > last ? 'event: done\ndata: {}\n\n' : frame(last + 1, 'done');
      const text = `${opened}${frames}${end}`;
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      const at = remainingBreaks.shift();
      if (at === undefined) response.end(text);
      else response.write(text.slice(0, at), () => response.destroy());
    });
  }

  it('yields each event once and in order wherever the connection breaks, and ends after done', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 900 }), { maxLength: 2 }), async (breaks) => {
        const baseUrl = await serveBreaking(5, breaks);
        const opening: unknown[] = [];
        const numbers: number[] = [];
        for await (const { id, event, data } of streamEvents('run', { baseUrl, authorization: 'Bearer k' })) {
          if (id === undefined) opening.push(data['index']);
          else numbers.push(Number(id.split('_')[1]));
          if (event === 'done') numbers.push(0);
        }
        expect(opening).toEqual([0, 1, 2, 3]);
        expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 0]);
      }),
      { numRuns: 12 },
    );
  });

  it('continues after a done at which the connection breaks, because a worker can publish one before the end', async () => {
    const connections = [frame(1, 'done'), `${frame(2)}${frame(3, 'done')}`, 'event: done\ndata: {}\n\n'];
    const resumedAfter: unknown[] = [];
    const baseUrl = await serve((request, response) => {
      resumedAfter.push(request.headers['last-event-id']);
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      const text = connections.shift();
      if (connections.length === 0) response.end(text);
      else response.write(text, () => response.destroy());
    });
    const ids: unknown[] = [];
    for await (const { id } of streamEvents('run', { baseUrl, authorization: 'Bearer k' })) ids.push(id);
    expect(ids).toEqual(['run_1_1', 'run_2_2', 'run_3_3']);
    expect(resumedAfter).toEqual([undefined, 'run_1_1', 'run_3_3']);
  });

  it('rejects with StreamRefused on a permanent error', async () => {
    const baseUrl = await serve((_request, response) =>
      response.writeHead(404).end('{"detail":"Execution not found"}'),
    );
    const reading = streamEvents('run', { baseUrl, authorization: 'Bearer k' }).next();
    await expect(reading).rejects.toThrow(StreamRefused);
  });

  it('waits for the Retry-After of a response before it opens the stream again', async () => {
    const opened: number[] = [];
    const baseUrl = await serve((_request, response) => {
      opened.push(performance.now());
      if (opened.length === 1) response.writeHead(429, { 'Retry-After': '2' }).end('{"detail":"Too many requests"}');
      else response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(frame(1, 'done'));
    });
    for await (const { id } of streamEvents('run', { baseUrl, authorization: 'Bearer k' })) expect(id).toBe('run_1_1');
    const [first = 0, second = 0] = opened;
    // Timers are rounded to whole milliseconds.
    expect(second - first).toBeGreaterThanOrEqual(1990);
  });

  it('rejects with the seconds of the Retry-After if it exceeds a minute', async () => {
    const baseUrl = await serve((_request, response) => response.writeHead(429, { 'Retry-After': '61' }).end('{}'));
    const reading = streamEvents('run', { baseUrl, authorization: 'Bearer k' }).next();
    await expect(reading).rejects.toMatchObject({ name: 'StreamRefused', status: 429, retryAfterSeconds: 61 });
  });

  it('ends when the signal aborts', async () => {
    const baseUrl = await serve((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(frame(1));
    });
    const stop = new AbortController();
    const events = streamEvents('run', { baseUrl, authorization: 'Bearer k', signal: stop.signal });
    expect((await events.next()).value).toMatchObject({ id: 'run_1_1' });
    stop.abort();
    await expect(events.next()).rejects.toThrow();
    server?.closeAllConnections();
  });
});
