import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { FastLane } from './fast-lane.js';

/** Longer than common balancers keep an idle connection, so that they, not we, close it. */
const KEEP_ALIVE_MS = 65_000;

/** Express behind a plain HTTP server that offers every request to the fast lane first. */
export class ServerAdapter extends ExpressAdapter {
  private fastLane: FastLane | undefined;
  /** Open connections, each with the number of requests it waits for. */
  private readonly connections = new Map<Socket, number>();
  private draining = false;

  useFastLane(fastLane: FastLane): void {
    this.fastLane = fastLane;
  }

  override initHttpServer(): void {
    const express = this.getInstance<RequestListener>();
    const server = createServer((request: IncomingMessage, response: ServerResponse) => {
      this.count(request.socket, response);
      if (this.fastLane?.take(request, response) !== true) express(request, response);
    });
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    server.on('connection', (socket: Socket) => {
      this.connections.set(socket, 0);
      socket.once('close', () => this.connections.delete(socket));
    });
    this.setHttpServer(server);
  }

  /**
   * Closes every connection that waits for no answer, and the others once they have theirs. Node's own
   * `closeIdleConnections` passes over connections that never carried a request, which would hold a stop up.
   */
  drain(): void {
    this.draining = true;
    for (const [socket, requests] of this.connections) if (requests === 0) socket.destroy();
  }

  private count(socket: Socket, response: ServerResponse): void {
    this.connections.set(socket, (this.connections.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = (this.connections.get(socket) ?? 1) - 1;
      if (this.connections.has(socket)) this.connections.set(socket, left);
      if (this.draining && left === 0) socket.end();
    });
  }
}
