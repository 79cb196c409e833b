import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { compile, RegoCompileError, type Json } from '@app/rego';

/**
 * What OPA's REST API documents of the two routes that are used, over the project's own evaluator: no OPA can be had
 * where these tests run. https://www.openpolicyagent.org/docs/latest/rest-api
 */
export class OpaServer {
  readonly asked: string[] = [];
  /** Sent with the requests. */
  authorization: string | undefined;
  /** Set: how it answers instead of as documented. */
  broken: ((response: ServerResponse) => void) | undefined;
  private readonly modules = new Map<string, string>();
  private readonly server = createServer((request, response) => void this.serve(request, response));

  static async start(): Promise<OpaServer> {
    const opa = new OpaServer();
    opa.server.listen(0, '127.0.0.1');
    await once(opa.server, 'listening');
    return opa;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get ids(): readonly string[] {
    return [...this.modules.keys()];
  }

  /** As after a restart: policies put over the API are kept in memory only. */
  forget(): void {
    this.modules.clear();
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    this.asked.push(`${request.method} ${request.url}`);
    this.authorization = request.headers.authorization;
    if (this.broken !== undefined) return this.broken(response);
    const [status, answer] = this.answer(request.method ?? '', request.url ?? '', body);
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
  }

  private answer(method: string, url: string, body: string): [number, unknown] {
    try {
      const id = /^\/v1\/policies\/([\w-]+)$/.exec(url)?.[1];
      if (method === 'PUT' && id !== undefined) return this.put(id, body);
      if (method === 'POST' && url === '/v1/query') return [200, this.query(body)];
      return [404, { code: 'resource_not_found', message: url }];
    } catch (error) {
      if (error instanceof RegoCompileError) {
        return [400, { code: 'invalid_parameter', message: 'error(s) occurred', errors: error.faults }];
      }
      return [500, { code: 'internal_error', message: (error as Error).message }];
    }
  }

  private put(id: string, text: string): [number, unknown] {
    compile(
      [...this.modules]
        .filter(([name]) => name !== id)
        .concat([[id, text]])
        .map(toModule),
    );
    this.modules.set(id, text);
    return [200, {}];
  }

  private query(body: string): unknown {
    const { query, input } = JSON.parse(body) as { query: string; input: Json };
    const result = compile([...this.modules].map(toModule))
      .query(query)
      .evaluate({ input });
    return result.length === 0 ? {} : { result };
  }
}

function toModule([name, text]: [string, string]): { name: string; text: string } {
  return { name, text };
}
