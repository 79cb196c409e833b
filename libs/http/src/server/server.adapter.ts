import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { FastLane } from './fast-lane.js';

/** Longer than common balancers keep an idle connection, so that they, not we, close it. */
const KEEP_ALIVE_MS = 65_000;

/** Express behind a plain HTTP server that offers every request to the fast lane first. */
export class ServerAdapter extends ExpressAdapter {
  private fastLane: FastLane | undefined;

  useFastLane(fastLane: FastLane): void {
    this.fastLane = fastLane;
  }

  override initHttpServer(): void {
    const express = this.getInstance<RequestListener>();
    const server = createServer((request: IncomingMessage, response: ServerResponse) => {
      // A connection that is busy when the server closes would stay open afterwards, until it times out.
      response.once('close', () => {
        if (!server.listening) server.closeIdleConnections();
      });
      if (this.fastLane?.take(request, response) !== true) express(request, response);
    });
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    this.setHttpServer(server);
  }
}
