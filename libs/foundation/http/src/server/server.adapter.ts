import { createServer, IncomingMessage, ServerResponse, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express } from 'express';
import type { HttpProblem } from '../errors/http-problem.js';
import type { ErrorFormat } from '../errors/error.filter.js';
import type { FastPath } from '../fast-path/fast-path.js';
import type { Pipeline, PipelineRequest } from '../fast-path/pipeline.js';
import type { ResponseBudget } from './response-budget.js';
import type { StalledResponses } from './stalled-responses.js';
import { asksForWebSocket, noteUpgrade } from '../streams/web-socket-request.js';
import { NO_HOST, rejectConnection, rejectUnreadRequest, UNKNOWN_EXPECTATION } from './unread-requests.js';

/**
 * Longer than the idle timeout of common load balancers, so that idle connections are closed by them and not by this
 * server.
 */
const KEEP_ALIVE_MS = 65_000;

/**
 * Maximum time from the first byte of a request to the last byte of its body; a slower request fails with 408. Does not
 * limit waiting polls and open streams, because their requests are complete.
 */
export const REQUEST_TIMEOUT_MS = 60_000;

/**
 * The time without traffic in either direction after which a connection with a pending response is closed: a client
 * that does not read occupies megabytes of memory. Node counts bytes that the system has only buffered as traffic, so
 * such a connection is closed after up to twice this time. Other connections are not affected: polls are shorter,
 * streams send heartbeats more often, and slow requests fail earlier.
 */
export const IDLE_TIMEOUT_MS = 90_000;
const SERVER_OPTIONS = {
  requestTimeout: REQUEST_TIMEOUT_MS,
  headersTimeout: REQUEST_TIMEOUT_MS,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: KEEP_ALIVE_MS,
  // This adapter checks the Host header itself, because Node's error response has neither a body nor a request id.
  requireHostHeader: false,
};

/** Maximum number of pipelined requests per connection; a connection that sends more is closed. */
export const MAX_PIPELINED = 100;

/** The requests of a connection whose responses are not complete. */
interface Connection {
  /** Responses that are not complete. */
  readonly pending: Set<ServerResponse>;
  /** Each callback begins a request that waits for the previous responses. */
  readonly waiting: (() => void)[];
  latest?: ServerResponse;
}

/** Returns the headers of every response; a later step may replace them. */
export type CommonHeaders = () => Readonly<Record<string, string>>;

/** Express behind a Node HTTP server that passes every request to the fast path first. */
export class ServerAdapter extends ExpressAdapter {
  private fastPath: FastPath | undefined;
  private errorFormat: ErrorFormat | undefined;
  private commonHeaders: CommonHeaders = () => ({});
  private responseBudget: ResponseBudget | undefined;
  private unknownRoute: Pipeline | undefined;
  private readonly connections = new Map<Duplex, Connection>();
  private leaving = false;
  private draining = false;

  useFastPath(fastPath: FastPath): void {
    this.fastPath = fastPath;
  }

  useErrorFormat(errorFormat: ErrorFormat): void {
    this.errorFormat = errorFormat;
  }

  useCommonHeaders(commonHeaders: CommonHeaders): void {
    this.commonHeaders = commonHeaders;
  }

  /** Closes the connections of clients that do not read, until the server is closed. */
  useStalledResponses(stalledResponses: StalledResponses): void {
    const stop = stalledResponses.watch(this.connections);
    (this.getHttpServer() as Server).once('close', stop);
  }

  /** Serves the requests that no route matches. */
  useUnknownRoute(unknownRoute: Pipeline): void {
    this.unknownRoute = unknownRoute;
  }

  /** Bounds the bytes of the responses that clients have not read. */
  useResponseBudget(responseBudget: ResponseBudget): void {
    this.responseBudget = responseBudget;
  }

  /** Keeps the 304 of a handler that found the version of the client current, see `EntityTag`. */
  override reply(response: ServerResponse, body: unknown, statusCode?: number): void {
    const status = response.statusCode === 304 ? 304 : statusCode;
    super.reply(response, isJson(body) ? this.textOf(response, body) : body, status);
  }

  /** Encodes the body before Express would, because its length must be known before anything is sent. */
  private textOf(response: ServerResponse, body: object): string {
    const text = JSON.stringify(body);
    this.responseBudget?.hold(response, response.req, text);
    if (!response.hasHeader('Content-Type')) response.setHeader('Content-Type', 'application/json; charset=utf-8');
    return text;
  }

  /**
   * Replaces Nest's handler, which runs no guards: the requests would not be rate limited, and their responses would
   * lack the headers of the limits.
   */
  override setNotFoundHandler(): void {
    // Returns the promise to Express, which passes a rejection to the error handler.
    this.use((request: PipelineRequest, response: ServerResponse) => this.unknownRoute?.(request, response));
  }

  override initHttpServer(): void {
    const express = this.getInstance<Express>();
    const messages = messagesOf(express);
    const begin = (request: IncomingMessage, response: ServerResponse): void => {
      setHeaders(response, this.commonHeaders());
      if (this.leaving) askToReconnect(response);
      if (request.headers.host === undefined && request.httpVersion === '1.1') this.refuse(request, response, NO_HOST);
      else if (this.fastPath?.take(request, response) !== true) express(request, response);
    };
    const server = createServer(
      { ...SERVER_OPTIONS, ...messages },
      (request: IncomingMessage, response: ServerResponse) => {
        this.inTurn(request.socket, response, () => begin(request, response));
      },
    );
    // Node passes the connection of an upgrade request to this listener. The request is served like any other, unless
    // its route accepts the upgrade.
    server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      socket.on('error', () => socket.destroy());
      const response = new messages.ServerResponse(request);
      response.shouldKeepAlive = false;
      response.once('finish', () => socket.end());
      // Needed because Node no longer applies its idle timeout to this connection. As with Node's timeout, a response
      // can handle the event itself.
      const onIdle = (): void => {
        if (!response.emit('timeout', socket)) socket.destroy();
      };
      socket.setTimeout(server.timeout).on('timeout', onIdle);
      noteUpgrade(request, { socket, head, onIdle });
      this.inTurn(socket, response, () => {
        response.assignSocket(socket);
        begin(request, response);
      });
    });
    server.on('connection', (socket: Socket) => {
      this.connections.set(socket, { pending: new Set(), waiting: [] });
      socket.once('close', () => this.connections.delete(socket));
    });
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
      this.inTurn(request.socket, response, () => {
        setHeaders(response, this.commonHeaders());
        this.refuse(request, response, UNKNOWN_EXPECTATION);
      });
    });
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => this.refuseInvalid(error, socket));
    server.setTimeout(IDLE_TIMEOUT_MS);
    this.setHttpServer(server);
  }

  /**
   * From now on every connection is closed after its next response, so that clients send their next request over a new
   * connection, which a load balancer routes to another process. No connection is closed while a request may be in
   * transit.
   */
  leave(): void {
    this.leaving = true;
    for (const { pending } of this.connections.values()) for (const response of pending) askToReconnect(response);
  }

  /**
   * Closes every connection without a pending response at once, and the others when their responses are complete.
   * Node's own `closeIdleConnections` does not close connections that have carried no request, which would delay a stop.
   */
  drain(): void {
    this.draining = true;
    for (const [socket, { pending }] of this.connections) if (pending.size === 0) socket.destroy();
  }

  private refuse(request: IncomingMessage, response: ServerResponse, problem: HttpProblem): void {
    if (this.errorFormat === undefined) request.socket.destroy();
    else rejectUnreadRequest(request, response, problem, this.errorFormat);
  }

  private refuseInvalid(error: NodeJS.ErrnoException, socket: Duplex): void {
    if (this.errorFormat === undefined || isResponding(this.connections.get(socket))) socket.destroy();
    else rejectConnection(error, socket, this.errorFormat, this.commonHeaders());
  }

  /**
   * Begins a request after the previous ones on its connection are complete. Node begins all pipelined requests at once:
   * a single connection could run thousands of requests ahead of other clients.
   */
  private inTurn(socket: Socket, response: ServerResponse, begin: () => void): void {
    const connection = this.connections.get(socket);
    if (connection === undefined) return begin();
    const { pending, waiting } = connection;
    pending.add(response);
    connection.latest = response;
    response.once('close', () => {
      pending.delete(response);
      if (socket.writable) waiting.shift()?.();
      if (this.draining && pending.size === 0) socket.end();
    });
    if (pending.size === 1) begin();
    else if (waiting.push(begin) > MAX_PIPELINED) socket.destroy();
  }
}

/**
 * Creates requests and responses with the members that Express adds, so that a guard can call `response.header` or read
 * `request.ip` on the fast path as well. If `upgrade` is true, Node passes the connection to the `upgrade` listener and
 * does not parse a body.
 */
function messagesOf({ request, response }: Express): {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
} {
  class Request extends IncomingMessage {
    private asksForUpgrade?: boolean;

    get upgrade(): boolean {
      if (this.asksForUpgrade !== true) return false;
      return this.method === 'CONNECT' || asksForWebSocket(this);
    }

    set upgrade(asksForUpgrade: boolean) {
      this.asksForUpgrade = asksForUpgrade;
    }
  }
  class Response<R extends IncomingMessage> extends ServerResponse<R> {}
  Object.setPrototypeOf(Request.prototype, request);
  Object.setPrototypeOf(Response.prototype, response);
  return { IncomingMessage: Request, ServerResponse: Response };
}

/** Whether Express would encode the body as JSON. */
function isJson(body: unknown): body is object {
  const isBinary = body instanceof StreamableFile || body instanceof Uint8Array;
  return typeof body === 'object' && body !== null && !isBinary && !(body instanceof Error);
}

function askToReconnect(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

function setHeaders(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const name in headers) response.setHeader(name, headers[name] ?? '');
}

/**
 * Returns whether the client would interpret bytes that are written now as a part of the response to another request.
 */
function isResponding(connection: Connection | undefined): boolean {
  if (connection === undefined) return false;
  const { pending, latest } = connection;
  if (latest?.headersSent === true && !latest.req.complete) return true;
  return [...pending].some((response) => response.headersSent || response.req.complete);
}
