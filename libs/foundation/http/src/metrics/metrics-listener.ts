import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Metrics } from '@app/metrics';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';

export const METRICS_PATH = '/metrics';

/** A separate listener for the metrics, so that the port of the API does not serve them. */
@Injectable()
export class MetricsListener implements OnApplicationShutdown {
  private server: Server | undefined;

  constructor(private readonly metrics: Metrics) {}

  get isOpen(): boolean {
    return this.server !== undefined;
  }

  /** Returns the port. */
  async open(port: number, host: string): Promise<number> {
    this.server = createServer((request, response) => {
      if (request.method !== 'GET' || request.url?.split('?')[0] !== METRICS_PATH) {
        response.writeHead(404).end();
        return;
      }
      this.metrics.render().then(
        (text) => response.writeHead(200, { 'Content-Type': this.metrics.contentType }).end(text),
        () => response.writeHead(500).end(),
      );
    });
    // Exclusive: several processes of one server must not share the port of one of them.
    this.server.listen({ port, host, exclusive: true });
    await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  onApplicationShutdown(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }
}
