import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { isJsonObject, SystemClock, type JsonObject } from '@app/kernel';
import { createLogger } from '@app/observability';
import type { StepReport } from '../../control-plane/control-plane.port.js';
import { readLease } from '../../control-plane/lease.js';
import { NestedConversation } from '../../conversation/conversation.js';
import { Redactor } from '../../redaction/secrets.js';
import { NO_RETRIES, taskWorkbench } from '../../testing/workbench.js';
import { wireLease } from '../../testing/wire-lease.js';
import { WorkflowRuntime } from './workflow.runtime.js';

const FIXTURE = join(__dirname, '..', 'default', 'fixtures', 'mcp-server.mjs');
const LOCAL = { command: process.execPath, args: [FIXTURE] };
const FOREIGN = 'text-of-the-server';

interface Outcome {
  readonly failure: string;
  readonly steps: StepReport[];
  readonly events: { readonly type: string; readonly data: JsonObject }[];
}

/** Runs a workflow of one step that calls a tool. */
async function callTool(server: JsonObject, name: string): Promise<Outcome> {
  const tool = { server: 'web', name, arguments: {} };
  const workflow = { steps: [{ name: 'call', type: 'tool', tool }] };
  const configuration = { tool_timeout_seconds: name === 'crawl' ? 0.1 : 60 };
  const wire = wireLease({ agent: { configuration }, workflow, mcp_servers: { web: server } });
  const lease = readLease(wire, Date.now());
  if (lease === null) throw new Error('invalid lease');
  const [steps, events]: [StepReport[], Outcome['events']] = [[], []];
  const run = new WorkflowRuntime(new SystemClock()).run({
    lease,
    gateway: { url: 'http://127.0.0.1:9/v1', apiKey: null, ...NO_RETRIES },
    ...taskWorkbench(),
    redactor: new Redactor([]),
    logger: createLogger('test'),
    signal: new AbortController().signal,
    publish: (type, data) => events.push({ type, data }),
    waitWhilePaused: () => Promise.resolve(),
    conversation: new NestedConversation(),
    mayAsk: false,
    reportSteps: (reports) => Promise.resolve(void steps.push(...reports)),
    runtimes: {
      for: () => {
        throw new Error('unused');
      },
    },
  });
  const failure = await run.then(
    () => 'none',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  return { failure, steps, events };
}

describe('a step that calls a tool', () => {
  let server: Server | undefined;

  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  /** Starts an MCP server with the tool `fetch`, whose calls get the given response. */
  async function serverWith(status: number, body: (id: unknown) => object): Promise<JsonObject> {
    const results: Record<string, object> = {
      initialize: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'n', version: '1' },
      },
      'tools/list': { tools: [{ name: 'fetch', inputSchema: { type: 'object' } }] },
    };
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const message: unknown = chunks.length === 0 ? null : JSON.parse(Buffer.concat(chunks).toString());
        if (!isJsonObject(message)) return response.writeHead(405).end();
        const { id, method } = message;
        if (id === undefined) return response.writeHead(202).end();
        const result = results[String(method)];
        const [code, sent] = result === undefined ? [status, body(id)] : [200, { jsonrpc: '2.0', id, result }];
        return response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(sent));
      });
    });
    const { port } = await new Promise<AddressInfo>((resolve) => {
      const started = server?.listen(0, '127.0.0.1', () => resolve(started?.address() as AddressInfo));
    });
    return { url: `http://127.0.0.1:${port}/mcp` };
  }

  it.each([
    ['reports an error', 'boom', LOCAL, 'The tool boom of the MCP server web failed: it reported an error'],
    ['takes too long', 'crawl', LOCAL, 'The tool crawl of the MCP server web failed: it took longer than 0.1 s'],
  ])('fails with the names of server and tool if the tool %s', async (_case, tool, settings, message) => {
    const { failure, steps } = await callTool(settings, tool);
    expect(failure).toBe(`The step call failed: ${message}`);
    expect(steps.at(-1)).toMatchObject({ name: 'call', status: 'failed', error_message: message });
  });

  it('publishes the output of the tool only in the event of the call', async () => {
    const { events } = await callTool(LOCAL, 'boom');
    expect(events.find(({ type }) => type === 'tool_completed')?.data).toMatchObject({ tool_error: 'it went boom' });
    const others = events.filter(({ type }) => type !== 'tool_completed');
    expect(JSON.stringify(others)).not.toContain('it went boom');
  });

  it.each([
    ['an HTTP error', 503, () => ({ detail: FOREIGN }), 'it responded with 503'],
    [
      'a JSON-RPC error',
      200,
      (id: unknown) => ({ jsonrpc: '2.0', id, error: { code: 1, message: FOREIGN } }),
      'its response is not that of an MCP server, or reports an error',
    ],
    [
      'a result of another shape',
      200,
      (id: unknown) => ({ jsonrpc: '2.0', id, result: { content: FOREIGN } }),
      'Failed to parse server response',
    ],
  ])('repeats nothing of %s in its error', async (_case, status, body, reason) => {
    const { failure, steps } = await callTool(await serverWith(status, body), 'fetch');
    expect(failure).toBe(`The step call failed: The tool fetch of the MCP server web failed: ${reason}`);
    expect(JSON.stringify(steps)).not.toContain(FOREIGN);
  });
});
