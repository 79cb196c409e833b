import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Clock } from '@app/kernel';
import { modelFetch } from './model-fetch.js';

const MOMENT = 'Thu, 01 Jan 2099 00:00:00 GMT';

class StoppedClock extends Clock {
  now(): Date {
    return new Date(MOMENT);
  }
}

describe('a request to the model', () => {
  let server: Server | undefined;

  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  it('is tried again when the gateway asked for it, by the clock of the worker', async () => {
    let calls = 0;
    server = createServer((_request, response) => {
      calls += 1;
      if (calls === 1) response.writeHead(503, { 'Retry-After': MOMENT }).end();
      else response.end('answer');
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    // By any other clock it would be a minute, the most that is waited: longer than a test may take.
    const response = await modelFetch(new StoppedClock())(url);
    expect([await response.text(), calls]).toEqual(['answer', 2]);
  });
});
