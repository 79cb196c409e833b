import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { onceGone } from './once-gone.js';

describe('the end of an answer', () => {
  let server: Server;
  let client: Socket;
  let answers: ServerResponse[];

  beforeEach(async () => {
    answers = [];
    server = createServer((_request, response) => answers.push(response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined).resume();
    await once(client, 'connect');
  });
  afterEach(() => {
    client.destroy();
    server.close();
  });

  /** The answers to so many requests, sent one right after the other. */
  async function ask(count: number): Promise<ServerResponse[]> {
    const all = answers.length + count;
    client.write('GET / HTTP/1.1\r\nHost: platform\r\n\r\n'.repeat(count));
    while (answers.length < all) await once(server, 'request');
    return answers.slice(-count);
  }

  /** A connection that a client drops may say ECONNRESET before it closes. */
  const closed = (socket: Socket): Promise<void> => new Promise((resolve) => socket.once('close', () => resolve()));
  const gone = (response: ServerResponse): Promise<void> => new Promise((resolve) => onceGone(response, resolve));

  it('is told when the answer was sent, and not again when the connection closes', async () => {
    const [response] = (await ask(1)) as [ServerResponse];
    let times = 0;
    onceGone(response, () => (times += 1));
    response.end();
    await once(response, 'close');
    client.destroy();
    await closed(response.req.socket);
    expect(times).toBe(1);
  });

  it('is told when the client goes, also to answers that wait for another one on the same connection', async () => {
    const [first, second] = (await ask(2)) as [ServerResponse, ServerResponse];
    const both = Promise.all([gone(first), gone(second)]);
    client.destroy();
    await both;
  });

  it('is told at once where the client has gone before anybody asked', async () => {
    const [first, second] = (await ask(2)) as [ServerResponse, ServerResponse];
    client.destroy();
    await closed(first.req.socket);
    for (const response of [first, second]) {
      let told = false;
      onceGone(response, () => (told = true));
      expect(told).toBe(true);
    }
  });

  it('is not told to those who stopped waiting for it', async () => {
    const [response] = (await ask(1)) as [ServerResponse];
    let times = 0;
    onceGone(response, () => (times += 1))();
    onceGone(response, () => (times += 10));
    client.destroy();
    await closed(response.req.socket);
    expect(times).toBe(10);
  });

  it('costs a connection one listener, however many requests are under way on it', async () => {
    const many = await ask(20);
    const [{ req }] = many as [ServerResponse];
    const before = req.socket.listenerCount('close');
    for (const response of many) onceGone(response, () => undefined);
    expect(req.socket.listenerCount('close')).toBe(before + 1);
  });
});
