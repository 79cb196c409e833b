import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { WebSocketServer, type WebSocket } from 'ws';
import { WebSocketSink } from '../wire/web-socket-sink.js';
import { describedMethod } from '../routes/described-method.js';
import { HttpProblem } from '../wire/http-problem.js';

/** Bytes of a message of a client. A larger one closes the connection with code 1009. */
const MAX_MESSAGE_BYTES = 16_384;

const server = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  maxPayload: MAX_MESSAGE_BYTES,
  // Costs memory per connection, and its input can be chosen to need much time.
  perMessageDeflate: false,
  // The sink answers, because it knows whether the client reads.
  autoPong: false,
});

interface Raw {
  readonly socket: Duplex;
  /** Bytes that the client sent after its request. */
  readonly head: Buffer;
}

const raws = new WeakMap<IncomingMessage, Raw>();

/** Marks a request that asks to change the protocol of its connection. */
export function noteUpgrade(request: IncomingMessage, raw: Raw): void {
  raws.set(request, raw);
}

/** A request that becomes a WebSocket. Until it is accepted, it is an ordinary request: guards and errors work as always. */
export class WebSocketRequest {
  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
  ) {}

  /** Throws `upgrade_required` if the request is not a valid opening handshake; then nothing has been sent. */
  check(): void {
    const { headers, method } = this.request;
    const isHandshake =
      method === 'GET' &&
      headers.upgrade?.toLowerCase() === 'websocket' &&
      headers['sec-websocket-version'] === '13' &&
      /^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '');
    if (!isHandshake || !raws.has(this.request)) throw new HttpProblem('upgrade_required', 'Open a WebSocket here');
  }

  /**
   * Sends the response 101. Afterwards the connection is no longer one of HTTP.
   *
   * @param keyEnd aborted when the client's key is revoked or expires, which closes the connection
   */
  accept(keyEnd: AbortSignal): WebSocketSink {
    this.check();
    const { request, response } = this;
    const { socket, head } = raws.get(request) as Raw;
    response.statusCode = 101;
    response.detachSocket(request.socket);
    let accepted: WebSocket | undefined;
    server.handleUpgrade(request, socket, head, (webSocket) => (accepted = webSocket));
    if (accepted === undefined) throw new Error('The opening handshake was not accepted');
    return new WebSocketSink(accepted, request.socket, keyEnd);
  }
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
