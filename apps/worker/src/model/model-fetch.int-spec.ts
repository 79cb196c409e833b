import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Clock } from '@app/kernel';
import { modelFetch } from './model-fetch.js';

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
    const response = await modelFetch(new StoppedClock())(url);
    expect([await response.text(), calls]).toEqual(['response', 2]);
  });
});
