import { Agent, createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const PROBE_INTERVAL_MS = 100;
/** Time limit of a readiness probe, long because the machine may be busy. */
const PROBE_LIMIT_MS = 10_000;
/** Requests wait this long for a target that is ready. */
const QUEUE_LIMIT_MS = 60_000;

interface Target {
  readonly url: string;
  readonly agent: Agent;
  isReady: boolean;
}

/**
 * A load balancer that checks whether its targets are ready, keeps connections to them, and never sends a request twice:
 * each failure of a target reaches the client, as status 502 or a broken connection.
 */
export class Balancer {
  /** One line per request to which a target did not respond completely. */
  readonly failures: string[] = [];
  private readonly targets: readonly Target[];
  private readonly server: Server;
  private readonly stopping = new AbortController();
  private next = 0;

  constructor(urls: readonly string[]) {
    this.targets = urls.map((url) => ({ url, agent: new Agent({ keepAlive: true }), isReady: false }));
    this.server = createServer((incoming, outgoing) => void this.forward(incoming, outgoing));
  }

  async start(): Promise<string> {
    for (const target of this.targets) void this.probe(target);
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  isReady(url: string): boolean {
    return this.targets.some((target) => target.url === url && target.isReady);
  }

  stop(): void {
    this.stopping.abort();
    this.server.close();
    this.server.closeAllConnections();
    for (const { agent } of this.targets) agent.destroy();
  }

  private async probe(target: Target): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const signal = AbortSignal.timeout(PROBE_LIMIT_MS);
      const response = await fetch(`${target.url}/api/health/ready`, { signal }).catch(() => undefined);
      if (!signal.aborted) target.isReady = response?.status === 200;
      await response?.body?.cancel();
      await pause(PROBE_INTERVAL_MS, undefined, { ref: false });
    }
  }

  private async readyTarget(): Promise<Target | undefined> {
    const deadline = performance.now() + QUEUE_LIMIT_MS;
    for (;;) {
      const ready = this.targets.filter(({ isReady }) => isReady);
      const target = ready[this.next++ % Math.max(1, ready.length)];
      if (target !== undefined || performance.now() > deadline) return target;
      await pause(PROBE_INTERVAL_MS);
    }
  }

  private async forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const target = await this.readyTarget();
    const fail = (reason: string): void => {
      this.failures.push(`${incoming.method} ${incoming.url}: ${reason}`);
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(502).end();
    };
    if (target === undefined) return fail('no target is ready');
    const { method = 'GET', headers, url = '/' } = incoming;
    const outbound = request(target.url + url, { method, headers, agent: target.agent }, (response) => {
      const { connection: _hop, 'keep-alive': _time, ...kept } = response.headers;
      outgoing.writeHead(response.statusCode ?? 502, kept);
      response.pipe(outgoing);
      response.on('aborted', () => fail('the response was cut off'));
    });
    outbound.on('error', (error) => {
      if (!outgoing.destroyed && !outgoing.writableEnded) fail(error.message);
    });
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) outbound.destroy();
    });
    incoming.pipe(outbound);
  }
}
