import { createMCPClient, type MCPClient } from '@ai-sdk/mcp';
import type { Logger } from '@app/observability';
import type { ToolExecutionOptions } from 'ai';
import { withTimeout } from '../../../deadline.js';
import { RuntimeFailure } from '../../runtime.js';
import { boundedEventFetch, ResponseTooLarge } from '../../../bounded-fetch.js';
import { describeMcpFailure } from './mcp-failure.js';
import type { McpServerSettings } from './mcp-settings.js';
import { tracedFetch } from '../../../tracing/trace-headers.js';
import { StdioTransport } from './stdio-transport.js';

const CONNECT_TIMEOUT_MS = 15_000;
const CLOSE_TIMEOUT_MS = 2_000;
/** Maximum size of a response of an HTTP server or of an event of a stream: larger than any output that the model receives. */
const MAX_RESPONSE_BYTES = 16 * 1_048_576;

type Transport = Parameters<typeof createMCPClient>[0]['transport'];
type Tools = Awaited<ReturnType<MCPClient['tools']>>;

/** A connected server with its tools. */
export interface McpConnection {
  readonly server: string;
  readonly tools: Tools;
}

/** The connections to the MCP servers of one execution. */
export class McpConnections {
  private readonly clients: MCPClient[] = [];

  /** `cwd`: the folder in which programs of servers run; null: that of the worker. */
  constructor(
    private readonly logger: Logger,
    private readonly cwd: string | null = null,
  ) {}

  /** Connects to all servers concurrently. Throws a RuntimeFailure that names the first server that cannot be used. */
  async open(servers: readonly McpServerSettings[], signal: AbortSignal): Promise<McpConnection[]> {
    const results = await Promise.allSettled(servers.map((server) => this.connect(server, signal)));
    return results.map((result) => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
  }

  async close(): Promise<void> {
    const closing = this.clients.map((client) =>
      withTimeout(client.close(), CLOSE_TIMEOUT_MS, () => new Error('closing took too long')),
    );
    await Promise.allSettled(closing);
  }

  private async connect(server: McpServerSettings, signal: AbortSignal): Promise<McpConnection> {
    const broken = new AbortController();
    try {
      const client = await createMCPClient({
        transport: transportFor(server, this.cwd, broken),
        clientName: 'agent-worker',
        initializationOptions: { signal: AbortSignal.any([signal, broken.signal]), timeout: CONNECT_TIMEOUT_MS },
        onUncaughtError: (error) =>
          this.logger.debug({ mcp_server: server.name, reason: describeMcpFailure(error) }, 'MCP connection failed'),
      });
      this.clients.push(client);
      broken.signal.throwIfAborted();
      broken.signal.addEventListener('abort', () => void client.close().catch(() => undefined), { once: true });
      const late = () => new Error('listing its tools took too long');
      const tools = await withTimeout(client.tools(), CONNECT_TIMEOUT_MS, late);
      return { server: server.name, tools: failingWith(broken.signal, tools) };
    } catch (error) {
      signal.throwIfAborted();
      throw new RuntimeFailure(
        `The MCP server ${server.name} cannot be used: ${describeMcpFailure(reasonOf(broken.signal, error))}`,
      );
    }
  }
}

/** Makes all calls, also the pending ones, fail with the reason of the signal when the connection breaks. */
function failingWith(broken: AbortSignal, tools: Tools): Tools {
  const failing = Object.entries(tools).map(([name, tool]) => {
    const execute = async (input: unknown, options: ToolExecutionOptions): Promise<unknown> => {
      const signals = options.abortSignal === undefined ? [broken] : [broken, options.abortSignal];
      try {
        return await tool.execute(input, { ...options, abortSignal: AbortSignal.any(signals) });
      } catch (error) {
        throw reasonOf(broken, error);
      }
    };
    return [name, { ...tool, execute }] as const;
  });
  return Object.fromEntries(failing) as Tools;
}

function reasonOf(broken: AbortSignal, error: unknown): unknown {
  return broken.aborted ? broken.reason : error;
}

/**
 * Rejects redirects, because they would send the configured headers to another host. Aborts `broken` when the failure
 * or the end of a stream of the server ends the whole connection.
 */
function transportFor(server: McpServerSettings, cwd: string | null, broken: AbortController): Transport {
  if (server.transport === 'stdio') {
    const { command, args, env } = server;
    return new StdioTransport({ command, args, env, cwd: cwd ?? process.cwd() });
  }
  return {
    type: server.transport,
    url: server.url,
    headers: { ...server.headers },
    redirect: 'error',
    // Over HTTP, each request has a stream of its own. Over SSE, there is one stream for all requests.
    fetch: boundedEventFetch(tracedFetch(fetch), MAX_RESPONSE_BYTES, {
      failed: (error) => {
        if (server.transport === 'http' && !(error instanceof ResponseTooLarge)) throw error;
        broken.abort(error);
      },
      ended: () => {
        if (server.transport === 'sse') broken.abort(new Error('the server closed the connection'));
      },
    }),
  };
}
