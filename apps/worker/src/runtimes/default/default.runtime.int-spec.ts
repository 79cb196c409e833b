import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SystemClock, type JsonObject } from '@app/kernel';
import { createLogger } from '@app/observability';
import { createModelGateway } from '../../../../../tools/model-gateway/server.js';
import { readLease } from '../../lease.js';
import { Redactor } from '../../secrets.js';
import { wireLease } from '../../testing/wire-lease.js';
import type { RuntimeResult } from '../runtime.js';
import { DefaultRuntime } from './default.runtime.js';

const FIXTURE = join(__dirname, 'fixtures', 'mcp-server.mjs');
const FIXTURE_KEY = 'fixture-key-value';

interface Told {
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

  const overHttp = (more: JsonObject = {}) => ({
    mcp_servers: { web: { url: mcpUrl, headers: { 'x-fixture-key': FIXTURE_KEY }, ...more } },
  });
  const overStdio = (env: Record<string, string> = {}) => ({
    mcp_servers: { local: { command: process.execPath, args: [FIXTURE], env } },
  });

  function run(
    prompt: string,
    agent: JsonObject = {},
    more: Record<string, unknown> = {},
    signal = new AbortController().signal,
  ): Told {
    const lease = readLease(wireLease({ execution: { prompt }, agent, ...more }), Date.now(), () => 'trace');
    if (lease === null) throw new Error('not a lease');
    const events: Told['events'] = [];
    const result = new DefaultRuntime(new SystemClock()).run({
      lease,
      gateway: { url: `${gatewayUrl}/v1`, apiKey: 'gateway-key' },
      redactor: new Redactor(['super-secret-value']),
      logger: createLogger('test'),
      signal,
      publish: (type, data) => events.push({ type, data }),
      whilePaused: () => Promise.resolve(),
    });
    result.catch(() => undefined);
    return { events, result };
  }

  const ofType = (told: Told, type: string) =>
    told.events.filter((event) => event.type === type).map((event) => event.data);

  it('streams an answer in chunks of one message and counts what it used', async () => {
    const told = run('hello [[tokens 30]]', { llm_config: { temperature: 0.5 } });
    const result = await told.result;
    const chunks = ofType(told, 'message_chunk');
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

  it('calls a tool of an HTTP server and answers with its result', async () => {
    const told = run('please add a=2 and b=40', { execution_environment: overHttp() });
    const result = await told.result;
    expect(result.response).toBe('[development model] The tool add answered: 42');
    const [started] = ofType(told, 'tool_started');
    expect(started).toMatchObject({ tool_name: 'add', tool_arguments: { a: 2, b: 40 } });
    expect(ofType(told, 'tool_completed')).toEqual([
      { ...started, status: 'success', tool_output: '42', tool_error: null },
    ]);
    expect(result.usage).toMatchObject({ requests: 2, tool_calls: 1 });
  });

  it('gives a stdio server the environment of the execution and nothing of its own', async () => {
    const environment = { environment: { CITY: 'Rome' } };
    const known = run('[[tool env {"name":"CITY"}]]', { execution_environment: overStdio() }, environment);
    expect((await known.result).response).toContain('CITY is Rome');
    process.env['WORKER_TEST_PRIVATE'] = 'not for tools';
    const own = run('[[tool env {"name":"WORKER_TEST_PRIVATE"}]]', { execution_environment: overStdio() }, environment);
    expect((await own.result).response).toContain('WORKER_TEST_PRIVATE is unset');
  });

  it('replaces variables in the settings of a server', async () => {
    const settings = overHttp({ headers: { 'x-fixture-key': '${FIXTURE}' } });
    const told = run('add 1 and 2', { execution_environment: settings }, { environment: { FIXTURE: FIXTURE_KEY } });
    expect((await told.result).response).toContain('add answered: 3');
  });

  it('gives a failed tool back to the model', async () => {
    const told = run('call boom', { execution_environment: overHttp() });
    expect((await told.result).response).toContain('The tool boom answered: it went boom');
    expect(ofType(told, 'tool_completed')).toMatchObject([
      { status: 'failed', tool_output: null, tool_error: 'it went boom' },
    ]);
  });

  it('tells the model when it called a tool that does not exist', async () => {
    const told = run('[[tool nonsense {}]]', { execution_environment: overHttp() });
    expect((await told.result).response).toMatch(/The tool nonsense answered: .*unavailable tool/);
    expect(ofType(told, 'tool_completed')).toMatchObject([{ tool_name: 'nonsense', status: 'failed' }]);
  });

  it('ends a tool that takes too long', async () => {
    const told = run('crawl', { execution_environment: overHttp(), configuration: { tool_timeout_seconds: 0.1 } });
    expect((await told.result).response).toContain('The tool crawl took longer than 0.1 seconds');
  });

  it('cuts the output of a tool', async () => {
    const told = run('flood', { execution_environment: overStdio() });
    await told.result;
    const [completed] = ofType(told, 'tool_completed');
    expect(String(completed?.['tool_output'])).toMatch(/^x{64000}\n\[cut: 136000 more characters\]$/);
  });

  it('hides secrets a tool gives away, from the model too', async () => {
    const told = run('[[tool env {"name":"LEAK"}]]', {
      execution_environment: overStdio({ LEAK: 'super-secret-value' }),
    });
    const { response } = await told.result;
    expect(response).toContain('LEAK is [redacted]');
    expect(JSON.stringify(told.events)).not.toContain('super-secret-value');
  });

  it('names tools of the same name after their servers', async () => {
    const servers = { mcp_servers: { ...overHttp().mcp_servers, ...overStdio().mcp_servers } };
    const told = run('[[tool web_add {"a":1,"b":1}]] [[tool local_add {"a":2,"b":2}]] [[parallel]]', {
      execution_environment: servers,
    });
    expect((await told.result).response).toContain('The tool web_add answered: 2\nThe tool local_add answered: 4');
  });

  it('stops after the allowed steps', async () => {
    const told = run('[[tool add {"a":1,"b":1} x50]]', {
      execution_environment: overHttp(),
      configuration: { max_steps: 3 },
    });
    await expect(told.result).rejects.toThrow('The agent gave no answer within 3 steps');
    await expect(told.result).rejects.toMatchObject({ usage: { requests: 3, tool_calls: 3 } });
  });

  it('reports thinking as its own events', async () => {
    const told = run('[[think let me see]] hello');
    await told.result;
    expect(told.events.slice(0, 2)).toMatchObject([{ type: 'thinking_start' }, { type: 'thinking_delta' }]);
    expect(
      ofType(told, 'thinking_delta')
        .map((data) => data['content'])
        .join(''),
    ).toBe('let me see');
    expect(ofType(told, 'thinking_complete')).toHaveLength(1);
  });

  it.each([
    [
      'a refused model',
      'hello',
      { model: { value: 'other' } },
      "The model gateway answered 404: The model 'other' does not exist",
    ],
    ['a server error', '[[error 503 0s]]', {}, 'The model gateway answered 503: The prompt asked'],
    ['a broken stream', '[[tokens 50]] [[break 5]]', {}, /^The connection to the model gateway broke: /],
    ['no model at all', 'hello', { model: null }, /^There is no model to ask: .*DEFAULT_MODEL/],
  ])('fails clearly on %s', async (_what, prompt, more, message) => {
    await expect(run(prompt, {}, more).result).rejects.toThrow(message);
  });

  it.each([
    ['cannot be reached', { url: 'http://127.0.0.1:9/mcp' }, /^The MCP server mine cannot be used: .+/],
    ['refuses the key', { headers: {} }, /^The MCP server mine cannot be used: .*401/],
    ['does not start', { url: null, command: '/nonexistent/tool' }, /^The MCP server mine cannot be used: .*ENOENT/],
    [
      'ends at once',
      { url: null, command: process.execPath, args: ['-e', ''] },
      /^The MCP server mine cannot be used: .+/,
    ],
    ['is not described', { url: null }, 'The MCP server mine has neither a url nor a command'],
  ])('names the MCP server that %s', async (_what, settings, message) => {
    const server = { ...overHttp().mcp_servers.web, ...settings } as JsonObject;
    const told = run('hello', { execution_environment: { mcp_servers: { mine: server } } });
    await expect(told.result).rejects.toThrow(message);
  });

  it('ends at once when the run is ended, also in the middle of an answer', async () => {
    const end = new AbortController();
    const told = run('[[tokens 1000]] [[pace 50ms]]', {}, {}, end.signal);
    const firstChunk = setInterval(
      () => told.events.some(({ type }) => type === 'message_chunk') && end.abort(new Error('over')),
      5,
    );
    await expect(told.result).rejects.toThrow();
    clearInterval(firstChunk);
  });
});
