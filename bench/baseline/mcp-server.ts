// A bare MCP server of the same package, without limits, audit and checks. Its tools answer at once, except the one that runs
// a workflow: it does so with the client of the platform API.
import { createServer } from 'node:http';
import { createPlatformApiClient, streamEvents, unwrap } from '@app/api-client';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const NAMES = ['list', 'get', 'create', 'delete', 'read', 'cancel'];

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
  server.registerTool(
    'execute_workflow',
    { description: 'run', inputSchema: z.object({ name: z.string() }) },
    async ({ name }) => ({ content: [{ type: 'text', text: (await runDirectly(name)) ?? '' }] }),
  );
  return server;
});
const handle = toNodeHandler(handler);
createServer((request, response) => void handle(request as Parameters<typeof handle>[0], response)).listen(
  Number(process.env['MCP_PORT']),
  '127.0.0.1',
  () => console.log('listening on'),
);

/** Runs a workflow to its end with the client of the platform API. Returns its response. */
async function runDirectly(workflow: string): Promise<string | null> {
  const [baseUrl, apiKey] = [process.env['PLATFORM_API_URL'] ?? '', process.env['API_KEY'] ?? ''];
  const client = createPlatformApiClient({ baseUrl, apiKey });
  const path = { id: workflow };
  const { execution_id: id } = await unwrap(
    client.POST('/api/v1/workflows/{id}/execute', { params: { path }, body: { params: {} } }),
  );
  // To the end: leaving the loop earlier would close the connection, and the next request would open another one.
  const events = streamEvents(id, { baseUrl, authorization: `UserKey ${apiKey}` });
  while ((await events.next()).done !== true);
  return (await unwrap(client.GET('/api/v1/executions/{id}', { params: { path: { id } } }))).response;
}
