import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Clock } from '@app/kernel';
import { modelFetch, retriesOf } from './model-fetch.js';

const RETRY_AT = 'Thu, 01 Jan 2099 00:00:00 GMT';

class StoppedClock extends Clock {
  now(): Date {
    return new Date(RETRY_AT);
  }
}

describe('modelFetch', () => {
  let server: Server | undefined;

  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  it('retries at the date of Retry-After, by the clock of the worker', async () => {
    let calls = 0;
    server = createServer((_request, response) => {
      calls += 1;
      if (calls === 1) response.writeHead(503, { 'Retry-After': RETRY_AT }).end();
      else response.end('response');
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    // By any other clock the delay would be its maximum of a minute, which exceeds the time-out of a test.
    const response = await modelFetch(new StoppedClock(), { retries: 2, maxDelayMs: 5 })(url);
    expect([await response.text(), calls]).toEqual(['response', 2]);
  });

  it.each([
    ['429', 429],
    ['503', 503],
    ['a connection that breaks', null],
  ])('repeats a request after %s as often as the settings say, then returns the failure', async (_failure, status) => {
    let calls = 0;
    server = createServer((_request, response) => {
      calls += 1;
      if (status === null) response.destroy();
      else response.writeHead(status).end();
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const settings = retriesOf({ retries: 4 }, { retries: 1, maxDelayMs: 2 });
    const ended = await modelFetch(
      new StoppedClock(),
      settings,
    )(url).then(
      ({ status: last }) => last,
      () => null,
    );
    expect([ended, calls]).toEqual([status, 5]);
  });
});

describe('the repetitions of an agent', () => {
  it('are those of its llm_config, otherwise those of the worker', () => {
    const ofWorker = { retries: 6, maxDelayMs: 10_000 };
    expect(retriesOf({}, ofWorker)).toEqual(ofWorker);
    expect(retriesOf({ retries: 0, retry_max_delay_ms: 50 }, ofWorker)).toEqual({ retries: 0, maxDelayMs: 50 });
    expect(retriesOf({ retries: -1, retry_max_delay_ms: 'x' }, ofWorker)).toEqual(ofWorker);
    expect(retriesOf({ retries: 1e9, retry_max_delay_ms: 1e9 }, ofWorker)).toEqual({
      retries: 100,
      maxDelayMs: 600_000,
    });
  });
});
