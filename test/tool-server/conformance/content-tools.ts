import type { ServerContext } from '@modelcontextprotocol/server';
import { IMAGE, resource, text, WAV } from './contents.js';
import type { FixtureTool } from './fixture-tool.js';

const SCHEMA_2020_12 = 'https://json-schema.org/draft/2020-12/schema';

/** The type of schemas does not have the keyword, which only MCP defines. */
const HEADER_PARAMETER = { type: 'string', 'x-mcp-header': 'Region' } as const;

/** The tools whose scenarios check the content of results, notifications and schemas. */
export const CONTENT_TOOLS: readonly FixtureTool[] = [
  {
    name: 'test_simple_text',
    description: 'Returns a text',
    run: () => ({ content: [text('This is a simple text response for testing.')] }),
  },
  { name: 'test_image_content', description: 'Returns an image', run: () => ({ content: [IMAGE] }) },
  {
    name: 'test_audio_content',
    description: 'Returns a sound',
    run: () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }),
  },
  {
    name: 'test_embedded_resource',
    description: 'Returns a resource',
    run: () => ({
      content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
    }),
  },
  {
    name: 'test_multiple_content_types',
    description: 'Returns a text, an image and a resource',
    run: () => ({
      content: [
        text('Multiple content types test:'),
        IMAGE,
        resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
      ],
    }),
  },
  {
    name: 'test_error_handling',
    description: 'Fails',
    run: () => {
      throw new Error('This tool intentionally returns an error for testing');
    },
  },
  {
    name: 'test_tool_with_logging',
    description: 'Sends log messages',
    run: async (context) => {
      for (const message of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await context.mcpReq.log('info', message);
      }
      return { content: [text('Three messages were sent')] };
    },
  },
  {
    name: 'test_logging_tool',
    description: 'Sends a log message, which a client that did not ask for any must not receive',
    run: async (context) => {
      await context.mcpReq.log('info', 'A message');
      return { content: [text('A message was sent')] };
    },
  },
  { name: 'test_tool_with_progress', description: 'Sends its progress', run: reportProgress },
  {
    name: 'json_schema_2020_12_tool',
    description: 'Has a schema with the keywords of JSON Schema 2020-12',
    input: {
      $schema: SCHEMA_2020_12,
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
    run: () => ({ content: [text('The arguments fit the schema')] }),
  },
  {
    name: 'test_header_parameter',
    description: 'Has an argument that is also a header of the request',
    input: { type: 'object', properties: { region: HEADER_PARAMETER } },
    run: () => ({ content: [text('The header fits the argument')] }),
  },
];

async function reportProgress({ mcpReq }: ServerContext): Promise<{ content: ReturnType<typeof text>[] }> {
  const { _meta: meta } = mcpReq;
  const progressToken = meta?.progressToken;
  if (progressToken !== undefined) {
    for (const progress of [0, 50, 100]) {
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
    }
  }
  return { content: [text('The progress was sent')] };
}
