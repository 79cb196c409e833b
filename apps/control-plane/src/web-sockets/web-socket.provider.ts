import { once } from 'node:events';
import { WebSocketConfig } from '@app/config';
import { EventProvider } from '@app/events';
import { AcceptedWebSocket, HttpProblem, isSignedByServer, signatureOfServer, type WebSocketRequest } from '@app/http';
import { randomBase62 } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { WebSocket } from 'ws';
import { PublicAddress } from '../public-address/public-address.js';

const TOKEN_LENGTH = 40;
const LIMIT_MS = 1000;

/** WebSockets of clients and workers. Its probe opens one to this process and receives a message. */
@Injectable()
export class WebSocketProvider extends EventProvider {
  override readonly name = 'websocket';
  override readonly enabled: boolean;
  /** The tokens of the running probes. */
  private readonly tokens = new Set<string>();

  constructor(
    config: WebSocketConfig,
    private readonly address: PublicAddress,
  ) {
    super();
    this.enabled = config.maxConnections > 0;
  }

  override async probe(): Promise<void> {
    const token = newToken();
    this.tokens.add(token);
    const url = `${this.address.localUrl.replace(/^http/, 'ws')}/api/health/web-socket/${token}`;
    const webSocket = new WebSocket(url, { handshakeTimeout: LIMIT_MS, perMessageDeflate: false });
    try {
      const [message] = (await once(webSocket, 'message', { signal: AbortSignal.timeout(LIMIT_MS) })) as [Buffer];
      if (message.toString() !== token) throw new Error('Received a message other than the one that was sent');
    } finally {
      this.tokens.delete(token);
      // `terminate` emits an error if the connection is not open yet.
      webSocket.on('error', () => undefined);
      webSocket.terminate();
    }
  }

  /**
   * Throws `route_not_found` unless a probe of this process opens the WebSocket, or one of another process of this server,
   * which cannot choose who accepts its connection. A token of this process opens one.
   */
  answer(token: string, opening: WebSocketRequest): void {
    if (!this.tokens.delete(token) && !isOfServer(token))
      throw new HttpProblem('route_not_found', 'No probe of this process');
    const accepted = opening.accept(AcceptedWebSocket, AbortSignal.timeout(LIMIT_MS));
    accepted.send(token);
  }
}

/** A random text, signed if the server has several processes. */
function newToken(): string {
  const text = randomBase62(TOKEN_LENGTH);
  const signature = signatureOfServer(text);
  return signature === undefined ? text : `${text}.${signature}`;
}

function isOfServer(token: string): boolean {
  const [text = '', signature = ''] = token.split('.');
  return isSignedByServer(text, signature);
}
