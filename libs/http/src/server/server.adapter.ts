import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { WireProblem } from '../wire/wire-problem.js';
import type { ErrorWording } from './error.filter.js';
import type { FastLane } from './fast-lane.js';
import { NO_HOST, refuseConnection, refuseUnread, UNKNOWN_EXPECTATION } from './unread-requests.js';

/** Longer than common balancers keep an idle connection, so that they, not we, close it. */
const KEEP_ALIVE_MS = 65_000;

/**
 * How long a request, from its first byte to the last of its body, may take to arrive; then it is given up (408). Waiting
 * polls and open streams are answers: their requests have arrived.
 */
export const REQUEST_TIMEOUT_MS = 60_000;

/**
 * How long a connection may be still, in both directions, while an answer is due: one whose client does not read keeps
 * megabytes in memory. Node counts what the system took of an answer at first as movement, so that one ends after twice
 * this. Polls are held shorter, streams say something more often, and requests that are too slow have been told so by
 * then.
 */
export const STILL_MS = 90_000;
const SERVER_OPTIONS = {
  requestTimeout: REQUEST_TIMEOUT_MS,
  headersTimeout: REQUEST_TIMEOUT_MS,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: KEEP_ALIVE_MS,
  // We look for it ourselves: Node's own answer has neither a body nor a request id.
  requireHostHeader: false,
};

/** How many requests a connection may send ahead of their answers; one that sends more is cut off. */
export const MAX_PIPELINED = 100;

/** What a connection is busy with. */
interface Connection {
  /** Answers that are not done. */
  readonly pending: Set<ServerResponse>;
  /** Begin the requests that wait for the answers before theirs. */
  readonly waiting: (() => void)[];
  latest?: ServerResponse;
}

/** Express behind a plain HTTP server that offers every request to the fast lane first. */
export class ServerAdapter extends ExpressAdapter {
  private fastLane: FastLane | undefined;
  private wording: ErrorWording | undefined;
  private readonly connections = new Map<Duplex, Connection>();
  private draining = false;

  useFastLane(fastLane: FastLane): void {
    this.fastLane = fastLane;
  }

  useWording(wording: ErrorWording): void {
    this.wording = wording;
  }

  override initHttpServer(): void {
    const express = this.getInstance<RequestListener>();
    const server = createServer(SERVER_OPTIONS, (request: IncomingMessage, response: ServerResponse) => {
      this.inTurn(request.socket, response, () => {
        if (request.headers.host === undefined && request.httpVersion === '1.1')
          this.refuse(request, response, NO_HOST);
        else if (this.fastLane?.take(request, response) !== true) express(request, response);
      });
    });
    server.on('connection', (socket: Socket) => {
      this.connections.set(socket, { pending: new Set(), waiting: [] });
      socket.once('close', () => this.connections.delete(socket));
    });
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
      this.inTurn(request.socket, response, () => this.refuse(request, response, UNKNOWN_EXPECTATION));
    });
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => this.giveUp(error, socket));
    server.setTimeout(STILL_MS);
    this.setHttpServer(server);
  }

  /**
   * Closes every connection that waits for no answer, and the others once they have theirs. Node's own
   * `closeIdleConnections` passes over connections that never carried a request, which would hold a stop up.
   */
  drain(): void {
    this.draining = true;
    for (const [socket, { pending }] of this.connections) if (pending.size === 0) socket.destroy();
  }

  private refuse(request: IncomingMessage, response: ServerResponse, problem: WireProblem): void {
    if (this.wording === undefined) request.socket.destroy();
    else refuseUnread(request, response, problem, this.wording);
  }

  private giveUp(error: NodeJS.ErrnoException, socket: Duplex): void {
    if (this.wording === undefined || isAnswering(this.connections.get(socket))) socket.destroy();
    else refuseConnection(error, socket, this.wording);
  }

  /**
   * Begins a request once those before it on its connection are answered. Node begins all that arrive at once: a single
   * connection would have thousands at work, ahead of everybody else's.
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

/** Whether what is written to a connection now would be taken for an answer to another request, or for a part of one. */
function isAnswering(connection: Connection | undefined): boolean {
  if (connection === undefined) return false;
  const { pending, latest } = connection;
  if (latest?.headersSent === true && !latest.req.complete) return true;
  return [...pending].some((response) => response.headersSent || response.req.complete);
}
