import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { ClientClosedSignal, KeyEndedSignal } from './caller.decorators.js';
import { credentialOf } from './key.guard.js';
import type { WireRequest } from '../wire/wire-request.js';

class LongRoute {
  follow(@ClientClosedSignal() _gone: AbortSignal, @KeyEndedSignal() _keyEnd: AbortSignal): void {
    // The tests use only the decorators of its parameters.
  }
}

interface Parameter {
  readonly index: number;
  readonly factory: (data: unknown, context: ExecutionContextHost) => AbortSignal;
}

/** Returns the arguments that the framework would pass to the route. */
function argumentsOf(request: IncomingMessage & WireRequest, response: ServerResponse): [AbortSignal, AbortSignal] {
  const declared = Reflect.getMetadata(ROUTE_ARGS_METADATA, LongRoute, 'follow') as Record<string, Parameter>;
  const context = new ExecutionContextHost([request, response], LongRoute);
  const ordered = Object.values(declared).sort((one, other) => one.index - other.index);
  return ordered.map(({ factory }) => factory(undefined, context)) as [AbortSignal, AbortSignal];
}

describe('a long request', () => {
  const server = createServer();
  afterEach(() => void server.close());

  it('does not watch its key, and is aborted, if the client disconnected during authentication', async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nHost: platform\r\n\r\n');
    const [request, response] = (await once(server, 'request')) as [IncomingMessage & WireRequest, ServerResponse];
    client.destroy();
    await once(response, 'close');

    let watched = 0;
    request.whenKeyEnds = () => {
      watched += 1;
      return () => (watched -= 1);
    };
    const [gone, keyEnd] = argumentsOf(request, response);
    expect(watched).toBe(0);
    expect([gone.aborted, keyEnd.aborted]).toEqual([true, false]);
  });
});

describe('credentialOf', () => {
  it.each([
    ['Bearer ak_1', 'ak_1'],
    ['  bearer   ak_1 ', 'ak_1'],
    ['Bearer a key with spaces', 'a key with spaces'],
    ['Basic ak_1', undefined],
    ['Bearer', undefined],
    ['', undefined],
  ])('returns the text after the scheme: %j', (authorization, key) => {
    expect(credentialOf({ authorization }, ['Bearer', 'UserKey'])).toBe(key);
  });
});
