import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { WebSocketServer, type WebSocket } from 'ws';
import type { AcceptedWebSocket } from './accepted-web-socket.js';
import { describedMethod } from '../routes/described-method.js';
import { HttpProblem } from '../errors/http-problem.js';

/** Maximum size of a client's message in bytes. A larger one closes the connection with code 1009. */
const MAX_MESSAGE_BYTES = 16_384;

const server = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  maxPayload: MAX_MESSAGE_BYTES,
  // Compression costs memory per connection, and a client can choose input that takes long to decompress.
  perMessageDeflate: false,
  // `AcceptedWebSocket` answers pings, because it knows whether the client reads.
  autoPong: false,
});

/**
 * A list of tokens (RFC 9110), which must not repeat. For anything else, the library would send its own error response.
 */
const SUBPROTOCOLS = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:[ \t]*,[ \t]*[!#$%&'*+\-.^_`|~0-9A-Za-z]+)*$/;

interface Raw {
  readonly socket: Socket;
  /** Bytes that the client sent after its request. */
  readonly head: Buffer;
  /** The listener on the socket's timeout, removed when the request is accepted. */
  readonly onIdle: () => void;
}

/** A class of connections with the constructor parameters of `AcceptedWebSocket`. */
export type ConnectionClass<T> = new (...parameters: ConstructorParameters<typeof AcceptedWebSocket>) => T;

const raws = new WeakMap<IncomingMessage, Raw>();

/** Stores the raw connection of a request that asks to change its protocol. */
export function noteUpgrade(request: IncomingMessage, raw: Raw): void {
  raws.set(request, raw);
}

/**
 * Returns whether a request can be the opening handshake of a WebSocket. The body of any other request must be read.
 */
export function asksForWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

/** A request that becomes a WebSocket. Until it is accepted, it is an ordinary request: guards and errors work as always. */
export class WebSocketRequest {
  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
  ) {}

  /**
   * Throws `upgrade_required` if the request is not an opening handshake, `malformed_request` if its subprotocols are
   * invalid. In both cases, nothing has been sent.
   */
  check(): void {
    const { headers } = this.request;
    const isHandshake =
      asksForWebSocket(this.request) &&
      headers['sec-websocket-version'] === '13' &&
      /^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '');
    if (!isHandshake || !raws.has(this.request))
      throw new HttpProblem('upgrade_required', 'This route only opens WebSockets: send an opening handshake');
    if (!areSubprotocols(headers['sec-websocket-protocol'])) {
      throw new HttpProblem('malformed_request', 'The header Sec-WebSocket-Protocol is invalid');
    }
  }

  /**
   * Sends the response 101. Afterwards the connection no longer uses HTTP. Throws `body_incomplete` if the client has
   * disconnected, so that this is not reported as a defect.
   *
   * @param Kind the class of the connection
   * @param keyEnd aborted when the client's key is revoked or expires, which closes the connection
   */
  accept<T extends AcceptedWebSocket>(Kind: ConnectionClass<T>, keyEnd: AbortSignal): T {
    this.check();
    const { request, response } = this;
    const { socket, head, onIdle } = raws.get(request) as Raw;
    if (!socket.readable || !socket.writable) throw new HttpProblem('body_incomplete', 'The client has disconnected');
    socket.off('timeout', onIdle);
    response.statusCode = 101;
    response.detachSocket(socket);
    let accepted: WebSocket | undefined;
    server.handleUpgrade(request, socket, head, (webSocket) => (accepted = webSocket));
    if (accepted === undefined) throw new Error('The opening handshake was not accepted');
    return new Kind(accepted, socket, keyEnd);
  }
}

function areSubprotocols(header: string | undefined): boolean {
  if (header === undefined) return true;
  if (!SUBPROTOCOLS.test(header)) return false;
  const names = header.split(',').map((name) => name.trim());
  return new Set(names).size === names.length;
}

const webSocketRequest = createParamDecorator((_data: unknown, context: ExecutionContext): WebSocketRequest => {
  const http = context.switchToHttp();
  return new WebSocketRequest(http.getRequest<IncomingMessage>(), http.getResponse<ServerResponse>());
});

/** Injects the request of a route that opens a WebSocket. */
export const OpensWebSocket = (): ParameterDecorator => (target, method, index) => {
  webSocketRequest()(target, method, index);
  const described = describedMethod(target, method);
  ApiResponse({ status: 101, description: 'The connection is a WebSocket' })(target, ...described);
  ApiResponse({
    status: 426,
    description: 'The request does not open a WebSocket',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  })(target, ...described);
};
