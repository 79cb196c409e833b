import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SystemClock } from '@app/kernel';
import { eventually } from '@app/testing';
import { WebSocketServer, type WebSocket } from 'ws';
import { CommandSocket } from './command-socket.js';
import type { WorkerCommand } from './control-plane.port.js';

describe('CommandSocket', () => {
  let server: Server;
  let accepted: WebSocket[];
  let keys: (string | undefined)[];
  let refusal: string | undefined;

  beforeEach(async () => {
    [accepted, keys, refusal] = [[], [], undefined];
    const webSockets = new WebSocketServer({ noServer: true });
    server = createServer().listen(0, '127.0.0.1');
    server.on('upgrade', (request: IncomingMessage, socket, head) => {
      keys.push(request.headers.authorization);
      if (refusal !== undefined) socket.end(refusal);
      else webSockets.handleUpgrade(request, socket, head, (webSocket) => accepted.push(webSocket));
    });
    await once(server, 'listening');
  });

  afterEach(() => {
    for (const webSocket of accepted) webSocket.terminate();
    server.close();
  });

  function receive(commands: WorkerCommand[], signal: AbortSignal): Promise<void> {
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/commands`;
    return new CommandSocket(url, 'worker-key', new SystemClock()).receive((command) => commands.push(command), signal);
  }

  it('passes commands to the handler in order, ignores other messages, and rejects when the signal is aborted', async () => {
    const commands: WorkerCommand[] = [];
    const end = new AbortController();
    const receiving = receive(commands, end.signal);
    receiving.catch(() => undefined);
    await eventually(() => expect(accepted).toHaveLength(1));
    const messages = ['{', '[]', '{"command":1}', '{"command":"pause","execution_id":"e"}', '{"command":"reload"}'];
    for (const message of messages) accepted[0]?.send(message);
    await eventually(() => expect(commands).toHaveLength(2));
    expect(commands).toEqual([
      { command: 'pause', executionId: 'e' },
      { command: 'reload', executionId: null },
    ]);
    expect(keys).toEqual(['Bearer worker-key']);
    end.abort(new Error('The session is over'));
    await expect(receiving).rejects.toThrow('The session is over');
  });

  it('rejects as unavailable when the connection is lost, and with status and code when the handshake is refused', async () => {
    const { signal } = new AbortController();
    const lost = receive([], signal);
    lost.catch(() => undefined);
    await eventually(() => expect(accepted).toHaveLength(1));
    accepted[0]?.close(1012, 'Connect again');
    await expect(lost).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'the WebSocket ended: 1012 Connect again',
    });

    refusal = 'HTTP/1.1 409 Conflict\r\nX-Error-Code: worker_disconnected\r\nContent-Length: 0\r\n\r\n';
    await expect(receive([], signal)).rejects.toMatchObject({ kind: 'gone' });
    refusal = 'HTTP/1.1 429 No\r\nX-Error-Code: connections_too_many\r\nRetry-After: 3\r\nContent-Length: 0\r\n\r\n';
    await expect(receive([], signal)).rejects.toMatchObject({ kind: 'unavailable', retryAfterMs: 3000 });
  });
});
