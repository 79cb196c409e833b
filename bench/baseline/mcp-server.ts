// A bare MCP server of the same package: the tools of a server that answers at once, without a platform behind it.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const NAMES = ['list', 'get', 'create', 'delete', 'execute', 'read', 'cancel'];

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'bare', version: '1' });
  for (const name of NAMES) {
    const inputSchema = z.object({ name: z.string().optional(), params: z.record(z.string(), z.unknown()).optional() });
    const outputSchema = z.object({ response: z.string() });
    server.registerTool(name, { description: name, inputSchema, outputSchema }, () => ({
      content: [{ type: 'text', text: 'done' }],
      structuredContent: { response: 'done' },
    }));
  }
  return server;
});
const handle = toNodeHandler(handler);
createServer((request, response) => void handle(request as Parameters<typeof handle>[0], response)).listen(
  Number(process.env['MCP_PORT']),
  '127.0.0.1',
  () => console.log('listening on'),
);
