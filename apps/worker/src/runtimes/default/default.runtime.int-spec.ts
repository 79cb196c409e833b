import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SystemClock, type JsonObject } from '@app/kernel';
import { createLogger } from '@app/observability';
import { createModelGateway } from '../../../../../tools/model-gateway/server.js';
import { readLease } from '../../control-plane/lease.js';
import { NestedConversation } from '../../conversation/conversation.js';
import { Redactor } from '../../redaction/secrets.js';
import { NO_RETRIES, taskWorkbench } from '../../testing/workbench.js';
import { wireLease } from '../../testing/wire-lease.js';
import type { RuntimeResult } from '../runtime.js';
import { DefaultRuntime } from './default.runtime.js';

const FIXTURE = join(__dirname, 'fixtures', 'mcp-server.mjs');
const FIXTURE_KEY = 'fixture-key-value';

interface Run {
  readonly events: { type: string; data: JsonObject }[];
  readonly result: Promise<RuntimeResult>;
}

describe('the default runtime against a model gateway and MCP servers', () => {
  const gateway: Server = createModelGateway({ apiKey: 'gateway-key' });
  let gatewayUrl: string;
  let mcpProcess: ChildProcess;
  let mcpUrl: string;

  beforeAll(async () => {
    await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
    gatewayUrl = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
    mcpProcess = spawn(process.execPath, [FIXTURE, 'http'], {
      env: { ...process.env, FIXTURE_KEY },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(mcpProcess.stdout!, 'data')) as [Buffer];
    mcpUrl = line.toString().trim();
  });
  afterAll(() => {
    mcpProcess.kill();
    gateway.closeAllConnections();
    gateway.close();
  });

  const httpServer = (overrides: JsonObject = {}) => ({
    mcp_servers: { web: { url: mcpUrl, headers: { 'x-fixture-key': FIXTURE_KEY }, ...overrides } },
  });
  const stdioServer = (env: Record<string, string> = {}) => ({
    mcp_servers: { local: { command: process.execPath, args: [FIXTURE], env } },
  });

  function start(
    prompt: string,
    agent: JsonObject = {},
    more: Record<string, unknown> = {},
    { signal = new AbortController().signal, conversation = new NestedConversation() } = {},
  ): Run {
    const lease = readLease(wireLease({ execution: { prompt }, agent, ...more }), Date.now());
    if (lease === null) throw new Error('invalid lease');
    const events: Run['events'] = [];
    const result = new DefaultRuntime(new SystemClock()).run({
      lease,
      gateway: { url: `${gatewayUrl}/v1`, apiKey: 'gateway-key', ...NO_RETRIES },
      ...taskWorkbench(),
      redactor: new Redactor(['super-secret-value']),
      logger: createLogger('test'),
      signal,
      publish: (type, data) => events.push({ type, data }),
      waitWhilePaused: () => Promise.resolve(),
      reportSteps: () => Promise.resolve(),
      conversation,
      mayAsk: false,
      runtimes: {
        for: () => {
          throw new Error('unused');
        },
      },
    });
    result.catch(() => undefined);
    return { events, result };
  }

  const ofType = ({ events }: Run, type: string) =>
    events.filter((event) => event.type === type).map((event) => event.data);

  it('streams the response as chunks of one message and counts the usage', async () => {
    const run = start('hello [[tokens 30]]', { llm_config: { temperature: 0.5 } });
    const result = await run.result;
    const chunks = ofType(run, 'message_chunk');
    expect(chunks.map((chunk) => chunk['content']).join('')).toBe(result.response);
    expect(new Set(chunks.map((chunk) => chunk['message_id']))).toEqual(new Set([result.messageId]));
    expect(result.usage).toMatchObject({
      completion_tokens: 30,
      requests: 1,
      tool_calls: 0,
      model: 'development-model',
    });
    expect(result.usage.total_tokens).toBe(result.usage.prompt_tokens + 30);
  });

  it('calls a tool of an HTTP server and passes its result to the model', async () => {
    const run = start('please add a=2 and b=40', {}, httpServer());
    const result = await run.result;
    expect(result.response).toBe('[development model] The tool add answered: 42');
    const [started] = ofType(run, 'tool_started');
    expect(started).toMatchObject({ tool_name: 'add', tool_arguments: { a: 2, b: 40 } });
    expect(ofType(run, 'tool_completed')).toEqual([
      { ...started, status: 'success', tool_output: '42', tool_error: null },
    ]);
    expect(result.usage).toMatchObject({ requests: 2, tool_calls: 1 });
  });

  it('passes the environment of the execution to a stdio server, and not that of the worker', async () => {
    const environment = { environment: { CITY: 'Rome' } };
    const configured = start('[[tool env {"name":"CITY"}]]', {}, { ...stdioServer(), ...environment });
    expect((await configured.result).response).toContain('CITY is Rome');
    process.env['WORKER_TEST_PRIVATE'] = 'not for tools';
    const inherited = start('[[tool env {"name":"WORKER_TEST_PRIVATE"}]]', {}, { ...stdioServer(), ...environment });
    expect((await inherited.result).response).toContain('WORKER_TEST_PRIVATE is unset');
  });

  it('expands variables in the settings of a server', async () => {
    const settings = httpServer({ headers: { 'x-fixture-key': '${FIXTURE}' } });
    const run = start('add 1 and 2', {}, { ...settings, environment: { FIXTURE: FIXTURE_KEY } });
    expect((await run.result).response).toContain('add answered: 3');
  });

  describe('with variables that only the request to start the run set', () => {
    const withheld = (servers: JsonObject) => ({
      mcp_servers: servers,
      environment: { MINE: 'start', FIXTURE: FIXTURE_KEY },
      withheld_variables: { local: ['MINE'], web: ['MINE'] },
    });
    const local = stdioServer().mcp_servers.local;

    it('does not pass them to a stdio server unless its agent declares them', async () => {
      const run = start('[[tool env {"name":"MINE"}]]', {}, withheld({ local }));
      expect((await run.result).response).toContain('MINE is unset');
      const declared = { ...withheld({ local }), withheld_variables: {} };
      expect((await start('[[tool env {"name":"MINE"}]]', {}, declared).result).response).toContain('MINE is start');
    });

    it.each([
      ['an argument', 'local', { ...local, args: [FIXTURE, '${MINE}'] }],
      ['the environment', 'local', { ...local, env: { OTHER: '${MINE}' } }],
      ['a URL', 'web', { url: 'https://${MINE}.example/${FIXTURE}' }],
    ])('fails if %s of a server contains one', async (_part, name, server) => {
      const run = start('hello', {}, withheld({ [name]: server }));
      await expect(run.result).rejects.toThrow(
        `The MCP server ${name} uses MINE, which start_variables of its agent does not list`,
      );
    });

    it('sends them in headers', async () => {
      const headers = { 'x-fixture-key': '${FIXTURE}', 'x-mine': '${MINE}' };
      const run = start('add 1 and 2', {}, withheld({ web: { url: mcpUrl, headers } }));
      expect((await run.result).response).toContain('add answered: 3');
    });
  });

  it.each([
    ['the body of an error', 500, 'text/plain', 'the-inside'],
    ['a body that is not JSON', 200, 'application/json', 'the-inside'],
    [
      'the message of a JSON-RPC error',
      200,
      'application/json',
      '{"jsonrpc":"2.0","id":0,"error":{"code":1,"message":"the-inside"}}',
    ],
    [
      'a protocol version',
      200,
      'application/json',
      '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"the-inside","capabilities":{},"serverInfo":{"name":"n","version":"1"}}}',
    ],
  ])('does not repeat %s of an MCP server in its error', async (_case, status, type, body) => {
    for (const transport of status === 500 ? ['http', 'sse'] : ['http']) {
      const server = createServer((_request, response) =>
        response.writeHead(status, { 'content-type': type }).end(body),
      );
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
      const run = start('hello', {}, { mcp_servers: { mine: { url, type: transport } } });
      const error = await run.result.catch((reason: unknown) => String(reason));
      server.close();
      expect(error).toMatch(/The MCP server mine cannot be used: ./);
      expect(error).not.toContain('the-inside');
      if (status === 500) expect(error).toContain('it responded with 500');
    }
  });

  it('passes the error of a failed tool to the model', async () => {
    const run = start('call boom', {}, httpServer());
    expect((await run.result).response).toContain('The tool boom answered: it went boom');
    expect(ofType(run, 'tool_completed')).toMatchObject([
      { status: 'failed', tool_output: null, tool_error: 'it went boom' },
    ]);
  });

  it('passes an error to the model when it calls a tool that does not exist', async () => {
    const run = start('[[tool nonsense {}]]', {}, httpServer());
    expect((await run.result).response).toMatch(/The tool nonsense answered: .*unavailable tool/);
    expect(ofType(run, 'tool_completed')).toMatchObject([{ tool_name: 'nonsense', status: 'failed' }]);
  });

  it('aborts a tool call after its time-out', async () => {
    const run = start('crawl', { configuration: { tool_timeout_seconds: 0.1 } }, httpServer());
    expect((await run.result).response).toContain('The tool crawl took longer than 0.1 s');
  });

  it('truncates the output of a tool', async () => {
    const run = start('flood', {}, stdioServer());
    await run.result;
    const [completed] = ofType(run, 'tool_completed');
    expect(String(completed?.['tool_output'])).toMatch(/^x{64000}\n\[cut: 136000 more characters\]$/);
  });

  it('redacts secrets in tool output, also for the model', async () => {
    const run = start('[[tool env {"name":"LEAK"}]]', {}, stdioServer({ LEAK: 'super-secret-value' }));
    const { response } = await run.result;
    expect(response).toContain('LEAK is [redacted]');
    expect(JSON.stringify(run.events)).not.toContain('super-secret-value');
  });

  it('prefixes tools of the same name with the names of their servers', async () => {
    const servers = { mcp_servers: { ...httpServer().mcp_servers, ...stdioServer().mcp_servers } };
    const run = start('[[tool web_add {"a":1,"b":1}]] [[tool local_add {"a":2,"b":2}]] [[parallel]]', {}, servers);
    expect((await run.result).response).toContain('The tool web_add answered: 2\nThe tool local_add answered: 4');
  });

  it('fails after max_steps', async () => {
    const run = start('[[tool add {"a":1,"b":1} x50]]', { configuration: { max_steps: 3 } }, httpServer());
    await expect(run.result).rejects.toThrow('The agent did not finish within 3 steps');
    await expect(run.result).rejects.toMatchObject({ usage: { requests: 3, tool_calls: 3 } });
  });

  it('publishes thinking as separate events', async () => {
    const run = start('[[think let me see]] hello');
    await run.result;
    expect(run.events.slice(0, 2)).toMatchObject([{ type: 'thinking_start' }, { type: 'thinking_delta' }]);
    expect(
      ofType(run, 'thinking_delta')
        .map((data) => data['content'])
        .join(''),
    ).toBe('let me see');
    expect(ofType(run, 'thinking_complete')).toHaveLength(1);
  });

  it.each([
    [
      'an unknown model',
      'hello',
      { model: { value: 'other' } },
      "The model gateway responded with 404: The model 'other' does not exist",
    ],
    ['a server error', '[[error 503 0s]]', {}, 'The model gateway responded with 503: The prompt asked'],
    ['a broken stream', '[[tokens 50]] [[break 5]]', {}, /^The connection to the model gateway broke: /],
    ['a missing model', 'hello', { model: null }, /^No model is configured: .*DEFAULT_MODEL/],
  ])('fails on %s with a message that names the cause', async (_case, prompt, more, message) => {
    await expect(start(prompt, {}, more).result).rejects.toThrow(message);
  });

  it.each([
    ['cannot be reached', { url: 'http://127.0.0.1:9/mcp' }, /^The MCP server mine cannot be used: .+/],
    ['rejects the key', { headers: {} }, /^The MCP server mine cannot be used: .*401/],
    ['does not start', { url: null, command: '/nonexistent/tool' }, /^The MCP server mine cannot be used: .*ENOENT/],
    [
      'exits at once',
      { url: null, command: process.execPath, args: ['-e', ''] },
      /^The MCP server mine cannot be used: .+/,
    ],
    ['has no address', { url: null }, 'The MCP server mine has neither a url nor a command'],
  ])('names an MCP server that %s', async (_case, settings, message) => {
    const server = { ...httpServer().mcp_servers.web, ...settings } as JsonObject;
    const run = start('hello', {}, { mcp_servers: { mine: server } });
    await expect(run.result).rejects.toThrow(message);
  });

  describe('with an empty answer', () => {
    const EMPTY = 'The answer of the model is empty';
    const stored = (...own: JsonObject[]) => {
      const conversation = new NestedConversation();
      return Object.assign(conversation, { history: { earlier: [], own } });
    };
    const asked = { role: 'user', content: '[[say]]', message_id: 'p' };
    const empty = { role: 'assistant', content: '', message_id: 'e' };
    const called = { ...empty, tool_calls: [{ id: 'c', name: 'add', arguments: {} }] };

    it('stores no empty message', async () => {
      const conversation = new NestedConversation();
      await expect(start('[[say]]', {}, {}, { conversation }).result).rejects.toThrow(EMPTY);
      expect(conversation.marked({})).toEqual([{ role: 'user', content: '[[say]]' }]);
    });

    it.each([
      ['an empty answer', [asked, empty]],
      ['blanks', [asked, { ...empty, content: ' \n' }]],
      ['a question without a reply', [asked, called]],
    ])('asks the model again if the earlier attempt stored %s', async (_case, own) => {
      const run = start('[[say]]', {}, {}, { conversation: stored(...own) });
      const failure: unknown = await run.result.catch((error: unknown) => error);
      expect(failure).toMatchObject({ message: EMPTY, usage: { requests: 1 } });
    });

    it.each([
      ['the result of a tool', { role: 'tool', content: '3', tool_call_id: 'c', tool_name: 'add', status: 'success' }],
      ['the reply to a question', { role: 'user', content: 'blue', user_id: 'u' }],
    ])('completes if an earlier attempt stored %s', async (_case, answer) => {
      const run = start('[[say]]', {}, {}, { conversation: stored(asked, called, answer) });
      expect(await run.result).toMatchObject({ response: '', usage: { requests: 1, tool_calls: 0 } });
    });
  });

  it('stops at once when the run is aborted in the middle of a response', async () => {
    const controller = new AbortController();
    const run = start('[[tokens 1000]] [[pace 50ms]]', {}, {}, controller);
    const firstChunk = setInterval(
      () => run.events.some(({ type }) => type === 'message_chunk') && controller.abort(new Error('aborted')),
      5,
    );
    await expect(run.result).rejects.toThrow();
    clearInterval(firstChunk);
  });
});
