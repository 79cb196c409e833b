import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ReceivedDelivery {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The parsed body. */
  readonly event: { readonly type: string; readonly data: Readonly<Record<string, unknown>> };
}

type Behavior = (response: ServerResponse, request: IncomingMessage) => void;

/** A server that receives events. It responds with 204 unless a test has set another behavior for the path. */
export class Subscriber {
  readonly received: ReceivedDelivery[] = [];
  private readonly behaviors = new Map<string, Behavior>();
  private readonly server: Server = createServer((request, response) => void this.receive(request, response));

  static async start(): Promise<Subscriber> {
    const subscriber = new Subscriber();
    subscriber.server.listen(0, '127.0.0.1');
    await once(subscriber.server, 'listening');
    return subscriber;
  }

  url(path: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`;
  }

  /** Sets the behavior for later requests to a path. */
  on(path: string, behavior: Behavior): void {
    this.behaviors.set(path, behavior);
  }

  at(path: string): ReceivedDelivery[] {
    return this.received.filter((delivery) => delivery.path === path);
  }

  typesAt(path: string): string[] {
    return this.at(path).map(({ event }) => event.type);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    const body = await text(request);
    const event = JSON.parse(body) as ReceivedDelivery['event'];
    this.received.push({ path, headers: request.headers, body, event });
    const behavior = this.behaviors.get(path) ?? ((answer) => answer.writeHead(204).end());
    behavior(response, request);
  }
}
