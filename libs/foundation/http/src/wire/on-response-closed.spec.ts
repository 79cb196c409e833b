import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { onResponseClosed } from './on-response-closed.js';

describe('the end of a response', () => {
  let server: Server;
  let client: Socket;
  let responses: ServerResponse[];

  beforeEach(async () => {
    responses = [];
    server = createServer((_request, response) => responses.push(response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined).resume();
    await once(client, 'connect');
  });
  afterEach(() => {
    client.destroy();
    server.close();
  });

  /** Sends this number of pipelined requests and returns their responses. */
  async function ask(count: number): Promise<ServerResponse[]> {
    const all = responses.length + count;
    client.write('GET / HTTP/1.1\r\nHost: platform\r\n\r\n'.repeat(count));
    while (responses.length < all) await once(server, 'request');
    return responses.slice(-count);
  }

  /** If the client drops a connection, it can emit ECONNRESET before `close`. */
  const closed = (socket: Socket): Promise<void> => new Promise((resolve) => socket.once('close', () => resolve()));
  const gone = (response: ServerResponse): Promise<void> =>
    new Promise((resolve) => onResponseClosed(response, resolve));

  it('is reported when the response was sent, and not again when the connection closes', async () => {
    const [response] = (await ask(1)) as [ServerResponse];
    let times = 0;
    onResponseClosed(response, () => (times += 1));
    response.end();
    await once(response, 'close');
    client.destroy();
    await closed(response.req.socket);
    expect(times).toBe(1);
  });

  it('is reported when the connection closes, even for responses that are queued behind another one', async () => {
    const [first, second] = (await ask(2)) as [ServerResponse, ServerResponse];
    const both = Promise.all([gone(first), gone(second)]);
    client.destroy();
    await both;
  });

  it('is reported immediately if the connection has closed before', async () => {
    const [first, second] = (await ask(2)) as [ServerResponse, ServerResponse];
    client.destroy();
    await closed(first.req.socket);
    for (const response of [first, second]) {
      let reported = false;
      onResponseClosed(response, () => (reported = true));
      expect(reported).toBe(true);
    }
  });

  it('is not reported to a removed listener', async () => {
    const [response] = (await ask(1)) as [ServerResponse];
    let times = 0;
    onResponseClosed(response, () => (times += 1))();
    onResponseClosed(response, () => (times += 10));
    client.destroy();
    await closed(response.req.socket);
    expect(times).toBe(10);
  });

  it('needs one listener per connection for any number of requests', async () => {
    const many = await ask(20);
    const [{ req }] = many as [ServerResponse];
    const before = req.socket.listenerCount('close');
    for (const response of many) onResponseClosed(response, () => undefined);
    expect(req.socket.listenerCount('close')).toBe(before + 1);
  });
});
