import { ToolServerIdentityConfig, loadConfig } from '@app/config';
import { eventually } from '@app/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from '@jest/globals';
import { ServerUrls } from '../auth/server-urls.js';
import { McpEndpoint } from './mcp-endpoint.js';
import { OpenCalls } from './open-calls.js';

const URL = 'http://127.0.0.1:1/mcp';
const HEADERS = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
  'Mcp-Session-Id': 'a-session',
};

function post(message: object, signal?: AbortSignal): Request {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...message });
  return new Request(URL, { method: 'POST', headers: HEADERS, body, signal: signal ?? null });
}

/** A server with a tool that ends only when it is cancelled. */
function createServer(): McpServer {
  const server = new McpServer({ name: 'test', version: '1' });
  server.registerTool('endless', {}, async ({ mcpReq }) => {
    await new Promise((resolve) => mcpReq.signal.addEventListener('abort', resolve));
    return { content: [] };
  });
  return server;
}

describe('McpEndpoint', () => {
  const calls = new OpenCalls();
  const config = loadConfig(ToolServerIdentityConfig, {});
  const endpoint = new McpEndpoint(createServer, new ServerUrls('http://127.0.0.1:1'), config, calls);
  const call = { method: 'tools/call', params: { name: 'endless', arguments: {} } };

  it('forgets a call whose client has left', async () => {
    const client = new AbortController();
    const response = await endpoint.fetch(post(call, client.signal));
    expect(calls.size).toBe(1);
    client.abort();
    await response.body?.cancel().catch(() => undefined);
    expect(calls.size).toBe(0);
  });

  it('forgets a call that has ended', async () => {
    const response = await endpoint.fetch(post({ method: 'tools/call', params: { name: 'unknown', arguments: {} } }));
    await response.text();
    await eventually(() => expect(calls.size).toBe(0));
  });

  it('assigns a new session at each `initialize`, whatever the client sends', async () => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const sessions = await Promise.all(
      [1, 2].map(async () =>
        (await endpoint.fetch(post({ method: 'initialize', params }))).headers.get('mcp-session-id'),
      ),
    );
    expect(new Set([...sessions, 'a-session']).size).toBe(3);
  });
});
