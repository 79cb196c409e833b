import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Compiles policies, as `compile` of libs/alone/rego does. Throws an error with `faults` if they are invalid. */
type CompilePolicies = (sources: readonly { readonly name: string; readonly text: string }[]) => {
  query(text: string): { evaluate(options: { readonly input: Json }): readonly unknown[] };
};

/**
 * Implements the two routes of OPA's REST API that the platform uses. It evaluates policies with the compiler that the
 * test passes, because the tests cannot install OPA. https://www.openpolicyagent.org/docs/latest/rest-api
 */
export class FakeOpaServer {
  /** Method and URL of each request. */
  readonly requests: string[] = [];
  /** The `Authorization` header of the last request. */
  authorization: string | undefined;
  /** Set to respond in another way than documented. */
  respondWith: ((response: ServerResponse) => void) | undefined;
  private readonly modules = new Map<string, string>();
  private readonly server = createServer((request, response) => void this.serve(request, response));

  private constructor(private readonly compile: CompilePolicies) {}

  static async start(compile: CompilePolicies): Promise<FakeOpaServer> {
    const opa = new FakeOpaServer(compile);
    opa.server.listen(0, '127.0.0.1');
    await once(opa.server, 'listening');
    return opa;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get moduleIds(): readonly string[] {
    return [...this.modules.keys()];
  }

  /** Has the effect of a restart of OPA, which keeps uploaded policies only in memory. */
  deleteAll(): void {
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
    this.requests.push(`${request.method} ${request.url}`);
    this.authorization = request.headers.authorization;
    if (this.respondWith !== undefined) return this.respondWith(response);
    const [status, result] = this.route(request.method ?? '', request.url ?? '', body);
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(result));
  }

  private route(method: string, url: string, body: string): [number, unknown] {
    try {
      const id = /^\/v1\/policies\/([\w-]+)$/.exec(url)?.[1];
      if (method === 'PUT' && id !== undefined) return this.put(id, body);
      if (method === 'POST' && url === '/v1/query') return [200, this.query(body)];
      return [404, { code: 'resource_not_found', message: url }];
    } catch (error) {
      if (error instanceof Error && 'faults' in error) {
        return [400, { code: 'invalid_parameter', message: 'error(s) occurred', errors: error.faults }];
      }
      return [500, { code: 'internal_error', message: (error as Error).message }];
    }
  }

  private put(id: string, text: string): [number, unknown] {
    this.compile(
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
    const result = this.compile([...this.modules].map(toModule))
      .query(query)
      .evaluate({ input });
    return result.length === 0 ? {} : { result };
  }
}

function toModule([name, text]: [string, string]): { name: string; text: string } {
  return { name, text };
}
