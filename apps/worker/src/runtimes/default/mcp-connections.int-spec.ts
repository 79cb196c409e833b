import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { McpConnections } from './mcp-connections.js';

const SECRET = 'a-secret-of-the-agent';

describe('McpConnections', () => {
  it.each([
    ['a command that does not exist', { command: `/nowhere/${SECRET}`, args: [] }],
    [
      'a server that prints its environment',
      { command: process.execPath, args: ['-e', 'console.log(process.env.TOKEN); process.exit(3)'] },
    ],
  ])('logs no secret of %s', async (_name, command) => {
    const lines: string[] = [];
    const logger = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
    const connections = new McpConnections(logger);
    const server = { transport: 'stdio', name: 'tools', env: { TOKEN: SECRET }, ...command } as const;
    await expect(connections.open([server], new AbortController().signal)).rejects.toThrow(
      /^The MCP server tools cannot be used: (?!.*a-secret)/,
    );
    await connections.close();
    expect(lines.join('')).toContain('MCP connection failed');
    expect(lines.join('')).not.toContain(SECRET);
  });
});
