import { once } from 'node:events';
import { createServer, request as send, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Returns whether a request is one of those that a test means. */
type Selection = (request: { readonly method: string; readonly path: string }) => boolean;

/**
 * Forwards requests to a server. It holds the responses that a test selects: the server has executed the request, and its
 * client does not know. Requests can also be dropped: then the server never receives them.
 */
export class HoldingProxy {
  private readonly server: Server;
  private held: (() => void)[] = [];
  private isHeld: Selection = () => false;
  private isDropped: Selection = () => false;
  private port = 0;

  private constructor(private readonly target: URL) {
    this.server = createServer((request, response) => this.forward(request, response));
  }

  static async to(url: string): Promise<HoldingProxy> {
    const proxy = new HoldingProxy(new URL(url));
    await once(proxy.server.listen(0, '127.0.0.1'), 'listening');
    proxy.port = (proxy.server.address() as AddressInfo).port;
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The number of responses that are held. */
  get heldCount(): number {
    return this.held.length;
  }

  /** Holds the responses to these requests from now on. */
  hold(selection: Selection): void {
    this.isHeld = selection;
  }

  /** Leaves these requests without a response from now on. */
  drop(selection: Selection): void {
    this.isDropped = selection;
  }

  /** Sends the responses that are held, and holds and drops nothing from now on. */
  release(): void {
    this.isHeld = this.isDropped = () => false;
    for (const respond of this.held.splice(0)) respond();
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private forward(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url: path = '', headers } = request;
    if (this.isDropped({ method, path })) return;
    const { hostname, port } = this.target;
    const upstream = send({ hostname, port, method, path, headers }, (answer) => {
      const respond = (): void => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      };
      if (this.isHeld({ method, path })) this.held.push(respond);
      else respond();
    });
    upstream.on('error', () => response.destroy());
    response.on('close', () => upstream.destroy());
    request.pipe(upstream);
  }
}
