import { ResourceTemplate, type McpServer } from '@modelcontextprotocol/server';
import { PNG } from './contents.js';

const TEXT = 'test://static-text';
const BINARY = 'test://static-binary';

/** Adds the resources that the scenarios list, read and subscribe to. */
export function addResources(mcp: McpServer): void {
  mcp.server.registerCapabilities({ resources: { subscribe: true, listChanged: false } });
  mcp.registerResource('text', TEXT, { description: 'A text', mimeType: 'text/plain' }, () => ({
    contents: [{ uri: TEXT, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
  }));
  mcp.registerResource('binary', BINARY, { description: 'An image', mimeType: 'image/png' }, () => ({
    contents: [{ uri: BINARY, mimeType: 'image/png', blob: PNG }],
  }));
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  const metadata = { description: 'Data of an id', mimeType: 'application/json' };
  mcp.registerResource('template', template, metadata, (uri, { id }) => {
    const data = { id, templateTest: true, data: `Data for ID: ${String(id)}` };
    return { contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify(data) }] };
  });
  // The resources never change, so there is nothing to remember.
  mcp.server.setRequestHandler('resources/subscribe', () => ({}));
  mcp.server.setRequestHandler('resources/unsubscribe', () => ({}));
}
