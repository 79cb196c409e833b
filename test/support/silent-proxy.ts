import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * Forwards connections to a server. While it is silent, it forwards nothing in either direction, neither bytes nor the
 * end of a connection, and keeps all connections open, as when the network between the two hosts drops all packets.
 */
export class SilentProxy {
  private readonly server: Server;
  private readonly pairs = new Set<readonly [Socket, Socket]>();
  /** Connections that were opened while the proxy was silent. */
  private readonly unanswered = new Set<Socket>();
  private isSilent = false;

  private constructor(private readonly target: URL) {
    this.server = createServer((client) => {
      client.on('error', () => undefined);
      if (this.isSilent) this.unanswered.add(client.pause());
      else this.forward(client);
    });
  }

  static async to(url: string): Promise<SilentProxy> {
    const proxy = new SilentProxy(new URL(url));
    await once(proxy.server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  /** Returns the URL with the address of the proxy. */
  urlFor(url: string): string {
    const through = new URL(url);
    through.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return through.toString();
  }

  silence(): void {
    this.isSilent = true;
    for (const [one, other] of this.pairs) {
      one.unpipe(other).pause();
      other.unpipe(one).pause();
    }
  }

  /** Forwards again, including the bytes that have arrived while it was silent. */
  speak(): void {
    this.isSilent = false;
    for (const [one, other] of this.pairs) {
      one.pipe(other);
      other.pipe(one);
    }
    for (const client of this.unanswered) this.forward(client);
    this.unanswered.clear();
  }

  async close(): Promise<void> {
    for (const socket of [...this.pairs].flat()) socket.destroy();
    for (const socket of this.unanswered) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private forward(client: Socket): void {
    const upstream = connect(Number(this.target.port), this.target.hostname);
    const pair = [client, upstream] as const;
    this.pairs.add(pair);
    for (const socket of pair) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.pairs.delete(pair);
        for (const end of pair) end.destroy();
      });
    }
    client.pipe(upstream);
    upstream.pipe(client);
  }
}
