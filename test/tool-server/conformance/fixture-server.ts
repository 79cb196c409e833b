import { randomBytes } from 'node:crypto';
import { runAdmitted, type createWorkflowServer } from '@app/mcp-tools';
import { createRequestStateCodec, fromJsonSchema, McpServer, type JsonSchemaType } from '@modelcontextprotocol/server';
import { CONTENT_TOOLS } from './content-tools.js';
import { inputTools } from './input-tools.js';
import { addPrompts } from './prompts.js';
import { addResources } from './resources.js';

const NO_ARGUMENTS: JsonSchemaType = { type: 'object', properties: {} };
const states = createRequestStateCodec<number>({ key: randomBytes(32) });

/** Creates the MCP server of one request. The calls of its tools are admitted and recorded as those of the product. */
export const createFixtureServer: typeof createWorkflowServer = (rules) => {
  const server = new McpServer(
    { name: 'conformance-fixtures', version: '1' },
    {
      capabilities: { logging: {}, tools: { listChanged: false }, prompts: { listChanged: false } },
      requestState: { verify: (state, context) => states.verify(state, context) },
    },
  );
  for (const { name, description, input = NO_ARGUMENTS, run } of [...CONTENT_TOOLS, ...inputTools(states)]) {
    server.registerTool(name, { description, inputSchema: fromJsonSchema(input) }, (_args, context) =>
      runAdmitted(rules, { tool: name, apiKey: undefined, context }, async () => run(context)),
    );
  }
  addResources(server);
  addPrompts(server);
  return Promise.resolve(server);
};
