import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { parseExactJson } from '@app/kernel';
import { pino } from 'pino';
import { McpConnections } from './mcp-connections.js';

/** A server with a tool that returns its arguments as they were written. */
const ECHO_SERVER = `
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const results = {
      initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'echo', version: '1' } },
      'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
    };
    const written = /"arguments":(.*?\\]})/.exec(line)?.[1];
    const result = JSON.stringify(results[method]) ?? '{"content":[],"structuredContent":' + written + '}';
    console.log('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"result":' + result + '}');
  });
`;
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

  it('keeps the digits of numbers in arguments and results of programs', async () => {
    const connections = new McpConnections(pino({ level: 'silent' }));
    const settings = { transport: 'stdio', name: 'tools', env: {}, command: process.execPath } as const;
    const [opened] = await connections.open([{ ...settings, args: ['-e', ECHO_SERVER] }], new AbortController().signal);
    const json = '{"account":9007199254740993,"deep":[0.12345678901234567891]}';
    const options = { toolCallId: 'call', messages: [], context: undefined };
    const result = await opened?.tools['echo']?.execute(parseExactJson(json), options);
    expect(JSON.stringify(result)).toContain(`"structuredContent":${json}`);
    await connections.close();
  });

  it('fails for a response of more than 16 MiB', async () => {
    const server = createServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('x'.repeat(17 * 1_048_576)),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const connections = new McpConnections(pino({ level: 'silent' }));
    const settings = { transport: 'http', name: 'tools', url: `http://127.0.0.1:${port}`, headers: {} } as const;
    await expect(connections.open([settings], new AbortController().signal)).rejects.toThrow(
      'The MCP server tools cannot be used: the response has more than 16 MiB',
    );
    await connections.close();
    server.closeAllConnections();
    server.close();
  });

  describe('over SSE', () => {
    const MIB = 1_048_576;
    let close = (): Promise<void> => Promise.resolve();
    afterEach(() => close());

    /** Opens the tool `fill` of a server that responds to its calls by `respond` in the event stream. */
    async function openTool(respond: (stream: ServerResponse, reply: (result: unknown) => string) => void) {
      let stream: ServerResponse;
      const server = createServer(async (request, response) => {
        if (request.method === 'GET') {
          stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
          stream.write('event: endpoint\r\ndata: /messages\r\n\r\n');
          return;
        }
        const { id, method, params } = JSON.parse(Buffer.concat(await request.toArray()).toString()) as {
          readonly id?: number;
          readonly method: string;
          readonly params?: { readonly protocolVersion?: string };
        };
        response.writeHead(202).end();
        const reply = (result: unknown) => `data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}`;
        const { protocolVersion } = params ?? {};
        const serverInfo = { name: 'tools', version: '1' };
        if (method === 'initialize') {
          stream.write(`${reply({ protocolVersion, capabilities: { tools: {} }, serverInfo })}\n\n`);
        }
        if (method === 'tools/list') {
          stream.write(`${reply({ tools: [{ name: 'fill', inputSchema: { type: 'object' } }] })}\n\n`);
        }
        if (method === 'tools/call') respond(stream, reply);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const connections = new McpConnections(pino({ level: 'silent' }));
      const settings = { transport: 'sse', name: 'tools', url: `http://127.0.0.1:${port}/sse`, headers: {} } as const;
      const [connected] = await connections.open([settings], new AbortController().signal);
      const call = async () => connected?.tools['fill']?.execute({}, { toolCallId: 'c', messages: [] });
      close = async () => {
        await connections.close();
        server.closeAllConnections();
        server.close();
      };
      return call;
    }

    it.each([
      ['LF', '\n', '\n'],
      ['CRLF', '\r\n', '\r\n'],
      ['CRLF in two chunks', '\r\n\r', '\n'],
    ])('receives 20 results of 1 MiB that end with %s', async (_case, first, second) => {
      const content = [{ type: 'text', text: 'x'.repeat(MIB) }];
      const call = await openTool((stream, reply) => {
        stream.write(`${reply({ content })}${first}`, () => setImmediate(() => stream.write(second)));
      });
      for (let count = 0; count < 20; count += 1) expect(await call()).toMatchObject({ content });
    });

    it('fails all calls, and later ones, at an event of more than 16 MiB', async () => {
      const call = await openTool((stream) => {
        for (let count = 0; count < 9; count += 1) stream.write(`data: ${'x'.repeat(MIB)}\n`);
      });
      const reason = 'an event of the response has more than 16 MiB';
      const results = await Promise.allSettled([call(), call()]);
      expect(results.map((result) => result.status === 'rejected' && String(result.reason))).toEqual([
        expect.stringContaining(reason),
        expect.stringContaining(reason),
      ]);
      await expect(call()).rejects.toThrow(reason);
    });

    it('fails a call, and later ones, when the server ends the stream', async () => {
      const call = await openTool((stream) => stream.end());
      await expect(call()).rejects.toThrow('the server closed the connection');
      await expect(call()).rejects.toThrow('the server closed the connection');
      await close();
    });

    it('fails a call when the connection breaks, without an unhandled rejection', async () => {
      const unhandled: unknown[] = [];
      const note = (reason: unknown) => void unhandled.push(reason);
      process.on('unhandledRejection', note);
      const call = await openTool((stream) => stream.destroy());
      await expect(call()).rejects.toThrow('terminated');
      await close();
      await new Promise((resolve) => setImmediate(resolve));
      process.off('unhandledRejection', note);
      expect(unhandled).toEqual([]);
    });
  });
});
