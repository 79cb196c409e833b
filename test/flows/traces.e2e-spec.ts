import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';

const MCP_SERVER = join(__dirname, '../../apps/worker/src/runtimes/default/fixtures/mcp-server.mjs');

interface TreeSpan {
  readonly span_id: string;
  readonly name: string;
  readonly kind: string;
  readonly category: string;
  readonly status_code: string;
  readonly status_message: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly children: readonly TreeSpan[];
}
interface Trace {
  readonly trace_id: string;
  readonly status: string;
  readonly spans: readonly TreeSpan[];
}

const spansOf = (spans: readonly TreeSpan[]): TreeSpan[] => spans.flatMap((span) => [span, ...spansOf(span.children)]);
/** Returns the names of spans as nested lists. */
const namesOf = (spans: readonly TreeSpan[]): unknown[] =>
  spans.flatMap(({ name, children }) => [name, ...(children.length === 0 ? [] : [namesOf(children)])]);

describe('the trace of a run', () => {
  let platform: Platform;
  let user: Scenario;

  beforeAll(async () => {
    platform = await Platform.shared();
    await platform.startWorker();
    user = new Scenario(platform);
  });

  afterAll(() => platform.stop());

  /** Returns the trace of an execution once all its spans have arrived: those of the worker and of the platform. */
  async function traceOf(executionId: string): Promise<Trace> {
    await user.waitUntilEnded(executionId);
    const path = `${platform.url}/api/v1/executions/${executionId}`;
    const { trace_id } = (await call('GET', path, { key: platform.adminKey })).body as { trace_id: string };
    return eventually(async () => {
      const { status, body } = await call('GET', `${platform.url}/api/v1/traces/${trace_id}`, {
        key: platform.adminKey,
      });
      expect(status).toBe(200);
      const trace = body as Trace;
      const names = spansOf(trace.spans).map(({ name }) => name);
      expect(names).toContainEqual(expect.stringMatching(/^execution /));
      expect(names).toContainEqual(expect.stringMatching(/^invoke_/));
      expect(trace.status).not.toBe('running');
      expect(trace.spans).toHaveLength(1);
      return trace;
    });
  }
  /** Returns the span of the work of the run, which is below the one of its lease. */
  async function runOf(executionId: string): Promise<TreeSpan> {
    const { spans } = await traceOf(executionId);
    const attempt = spansOf(spans).find(({ category }) => category === 'lease');
    expect(attempt?.children).toHaveLength(1);
    return attempt?.children[0] as TreeSpan;
  }

  it('has its requests to the model and its calls of tools below its attempt', async () => {
    const mcp_servers = { fixture: { command: process.execPath, args: [MCP_SERVER] } };
    const agentId = await user.newAgent({ name: 'adder', execution_environment: { mcp_servers } });
    const id = await user.execute(agentId, '[[tool add {"a":40,"b":2}]] and tell me');
    const { spans } = await traceOf(id);
    const model = 'chat development-model';
    expect(namesOf(spans)).toEqual([
      'execution adder',
      ['trigger api', 'queue', 'attempt 1', ['invoke_agent adder', [model, 'execute_tool add', model]]],
    ]);
    const all = spansOf(spans);
    const [first, tool] = [all.find(({ name }) => name === model), all.find(({ category }) => category === 'tool')];
    expect(first).toMatchObject({ kind: 'CLIENT', category: 'model', status_code: 'UNSET' });
    expect(first?.attributes).toMatchObject({
      'execution.id': id,
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'development-model',
      'gen_ai.response.finish_reasons': ['tool_call'],
      'gen_ai.usage.input_tokens': expect.any(Number),
      'gen_ai.usage.output_tokens': expect.any(Number),
    });
    expect(tool?.attributes).toMatchObject({ 'gen_ai.tool.name': 'add', 'gen_ai.tool.call.id': expect.any(String) });
    expect(JSON.stringify(spans)).not.toMatch(/tell me|"42"/);
  });

  it('goes on in the MCP servers that it calls', async () => {
    const mcp_servers = { fixture: { command: process.execPath, args: [MCP_SERVER] } };
    const agentId = await user.newAgent({ name: 'caller', execution_environment: { mcp_servers } });
    const id = await user.execute(agentId, '[[tool caller {}]] and repeat');
    const { trace_id, spans } = await traceOf(id);
    const tool = spansOf(spans).find(({ category }) => category === 'tool');
    expect((await user.execution(id)).response).toContain(`00-${trace_id}-${tool?.span_id}-01`);
  });

  it('shows where it failed, without what the gateway said', async () => {
    const id = await user.execute(await user.newAgent({ name: 'failing' }), '[[error 400]]');
    const trace = await traceOf(id);
    expect(trace.status).toBe('error');
    const failed = spansOf(trace.spans).filter(({ status_code }) => status_code === 'ERROR');
    expect(failed.map(({ name }) => name)).toEqual([
      'execution failing',
      'attempt 1',
      'invoke_agent failing',
      'chat development-model',
    ]);
    expect(failed.at(-1)?.attributes).toMatchObject({ 'error.type': '400' });
  });

  it('has the members of a team below the leader that called them', async () => {
    const body = { name: 'traced crew', configuration: {} };
    const { id: teamId } = await unwrap(user.client.POST('/api/v1/teams', { body }));
    await user.newAgent({ name: 'researcher', team_id: teamId });
    await user.newAgent({ name: 'editor', team_id: teamId });
    const parts = ['researcher', 'editor'].map(
      (member) => `[[tool delegate_to_member ${JSON.stringify({ member, task: `[[say ${member}]]` })}]]`,
    );
    const params = { path: { team_id: teamId } };
    const prompt = `[[parallel]] ${parts.join(' ')} and sum up`;
    const started = await unwrap(user.client.POST('/api/v1/teams/{team_id}/execute', { params, body: { prompt } }));
    const run = await runOf(started.execution_id);
    const model = 'chat development-model';
    expect(run.name).toBe('invoke_agent traced crew');
    const members = ['invoke_agent researcher', 'invoke_agent editor'].sort();
    const [before, ...rest] = run.children;
    expect([before?.name, rest.at(-1)?.name]).toEqual([model, model]);
    expect(
      rest
        .slice(0, -1)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(members);
    for (const member of rest.slice(0, -1)) expect(namesOf(member.children)).toEqual([model]);
  });

  it('has the steps of a workflow', async () => {
    const agent_id = await user.newAgent({ name: 'step agent' });
    const steps = [
      { name: 'draft', type: 'agent', agent_id, prompt: '[[say a draft]]' },
      { name: 'polish', type: 'prompt', prompt: '[[say done]]', depends_on: ['draft'] },
    ];
    const body = { name: 'traced flow', steps } as never;
    const { id } = await unwrap(user.client.POST('/api/v1/workflows', { body }));
    const params = { path: { workflow_id: id } };
    const started = await unwrap(user.client.POST('/api/v1/workflows/{workflow_id}/execute', { params, body: {} }));
    const run = await runOf((started as { execution_id: string }).execution_id);
    const model = 'chat development-model';
    expect([run.name, namesOf(run.children)]).toEqual([
      'invoke_workflow traced flow',
      ['step draft', [model], 'step polish', [model]],
    ]);
    expect(run.children[0]).toMatchObject({ category: 'step', attributes: { 'platform.step.attempt': 1 } });
  });

  it('can be read while the run is in progress, and ends with it if its worker is killed', async () => {
    const queueId = await user.newQueue('short-lived');
    const worker = await platform.startWorker({ WORKER_QUEUE: queueId });
    const id = await user.execute(await user.newAgent({ name: 'sleeper' }), '[[delay 600s]]', queueId);
    const path = `${platform.url}/api/v1/executions/${id}`;
    const { trace_id } = (await call('GET', path, { key: platform.adminKey })).body as { trace_id: string };
    const read = async (): Promise<Trace> =>
      (await call('GET', `${platform.url}/api/v1/traces/${trace_id}`, { key: platform.adminKey })).body as Trace;
    await eventually(async () => {
      const { status, spans } = await read();
      expect([status, namesOf(spans)]).toEqual(['running', ['invoke_agent sleeper', ['chat development-model']]]);
    });
    await worker.process.kill('SIGKILL');
    await user.cancel(id);
    await eventually(async () => {
      const trace = await read();
      expect(trace.status).not.toBe('running');
      expect(
        spansOf(trace.spans).map(({ name, status_code, status_message }) => [name, status_code, status_message]),
      ).toContainEqual(['chat development-model', 'ERROR', 'The execution ended while the span was open']);
    });
  });

  it('contains prompts and answers without secrets, and is sent elsewhere, only if configured', async () => {
    const received: { path: string; team: unknown; bytes: Buffer }[] = [];
    const receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { url = '', headers } = request;
        received.push({
          path: url,
          team: headers['x-team'],
          bytes: Buffer.concat(chunks),
        });
        response.end();
      });
    });
    await once(receiver.listen(0, '127.0.0.1'), 'listening');
    const { port } = receiver.address() as AddressInfo;
    const queueId = await user.newQueue('open');
    await platform.startWorker({
      WORKER_QUEUE: queueId,
      TRACE_CONTENT: 'true',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_HEADERS: 'X-Team=blue%20team',
    });
    const mcp_servers = { fixture: { command: process.execPath, args: [MCP_SERVER] } };
    const env_vars = { API_TOKEN: 'very-secret-value' };
    const agentId = await user.newAgent({ name: 'open', execution_environment: { mcp_servers, env_vars } });
    const id = await user.execute(agentId, '[[tool env {"name":"API_TOKEN"}]] very-secret-value aloud', queueId);
    const { spans } = await traceOf(id);
    const tool = spansOf(spans).find(({ category }) => category === 'tool');
    expect(tool?.attributes).toMatchObject({
      'gen_ai.tool.call.arguments': '{"name":"API_TOKEN"}',
      'gen_ai.tool.call.result': 'API_TOKEN is [redacted]',
    });
    const model = spansOf(spans).filter(({ category }) => category === 'model');
    const input = JSON.parse(String(model[0]?.attributes['gen_ai.input.messages'])) as unknown;
    expect(input).toContainEqual({
      role: 'user',
      parts: [{ type: 'text', content: expect.stringContaining('aloud') }],
    });
    expect(model.at(-1)?.attributes['gen_ai.output.messages']).toContain('"finish_reason":"stop"');
    expect(JSON.stringify(spans)).not.toContain('very-secret-value');
    await eventually(() => expect(received.some(({ bytes }) => bytes.includes('execute_tool env'))).toBe(true));
    expect(received[0]).toMatchObject({ path: '/v1/traces', team: 'blue team' });
    expect(received.some(({ bytes }) => bytes.includes('very-secret-value'))).toBe(false);
    receiver.close();
  });
});
