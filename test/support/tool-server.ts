import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { freePort } from '../../tools/provision/free-port.js';
import { TestedApp } from './tested-app.js';
import type { Platform } from './platform.js';

/** The eras of the protocol: the one with `initialize`, and the one since 2026-07-28. */
export const ERAS = ['2025-11-25', '2026-07-28'] as const;
export type Era = (typeof ERAS)[number];

/** The tool server as a process of its own, in front of the platform API of a platform. */
export class ToolServer {
  private readonly clients: Client[] = [];

  private constructor(
    readonly url: string,
    readonly process: TestedApp,
  ) {}

  static async start(
    platform: Platform,
    env: Readonly<Record<string, string>> = {},
    entry = 'dist/bundles/tool-server.js',
  ): Promise<ToolServer> {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const app = new TestedApp({
      entry,
      env: { PLATFORM_API_URL: platform.platformApi?.url ?? '', TOOL_SERVER_PORT: String(port), ...env },
      ready: `${url}/api/health/live`,
    });
    return new ToolServer(url, await app.start());
  }

  /** Returns a connected client of the official package. */
  async connect(era: Era, token?: string): Promise<Client> {
    const mode = era === '2025-11-25' ? 'legacy' : { pin: era };
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    const requestInit = token === undefined ? {} : { requestInit: { headers: { Authorization: `Bearer ${token}` } } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${this.url}/mcp`), requestInit));
    this.clients.push(client);
    return client;
  }

  /** Returns the audit lines. */
  audit(): Record<string, unknown>[] {
    const lines = this.process
      .log()
      .split('\n')
      .filter((line) => line.includes('"tool call"'));
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  async stop(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.close().catch(() => undefined)));
    await this.process.end('SIGKILL');
  }
}
