import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import { conventionFaults, type JudgedSpan } from '../support/gen-ai-conventions.js';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';
import { Subscriber } from '../support/subscriber.js';

const MCP_SERVER = join(__dirname, '../../apps/worker/src/runtimes/default/fixtures/mcp-server.mjs');

const chat: JudgedSpan = {
  name: 'chat m',
  kind: 'CLIENT',
  status_code: 'UNSET',
  attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'openai', 'gen_ai.request.model': 'm' },
};
const withAttributes = (more: Readonly<Record<string, unknown>>): JudgedSpan => ({
  ...chat,
  attributes: { ...chat.attributes, ...more },
});
const withMessages = (messages: unknown): JudgedSpan =>
  withAttributes({ 'gen_ai.input.messages': JSON.stringify(messages) });
const toolCall = { type: 'tool_call', id: 'c1', name: 'weather', arguments: { city: 'Paris' } };

describe('the judge of spans', () => {
  it.each<[string, JudgedSpan]>([
    ['a request', chat],
    ['a failed request', { ...withAttributes({ 'error.type': '500' }), status_code: 'ERROR' }],
    ['an operation without a known subject', { ...chat, name: 'invoke_agent', attributes: agent() }],
    ['texts', withMessages([{ role: 'user', parts: [{ type: 'text', content: 'Hello' }] }])],
    [
      'a call of a tool and its result',
      withMessages([
        { role: 'assistant', parts: [toolCall], finish_reason: 'tool_call' },
        { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: { degrees: 20 } }] },
      ]),
    ],
    ['a part of another type', withMessages([{ role: 'critic', parts: [{ type: 'sketch', strokes: 3 }] }])],
  ])('accepts %s', (_case, span) => {
    expect(conventionFaults(span, true)).toEqual([]);
  });

  it.each<[string, JudgedSpan]>([
    ['gen_ai.operation.name is "ask"', withAttributes({ 'gen_ai.operation.name': 'ask' })],
    ['the kind is SERVER', { ...chat, kind: 'SERVER' }],
    ['the name is "m"', { ...chat, name: 'm' }],
    ['gen_ai.provider.name is missing', { ...chat, name: 'invoke_agent', attributes: agent('gen_ai.provider.name') }],
    ['error.type is missing', { ...chat, status_code: 'ERROR' }],
    ['error.type is set without an error', withAttributes({ 'error.type': '500' })],
    ['gen_ai.system does not belong to the operation', withAttributes({ 'gen_ai.system': 'openai' })],
    ['gen_ai.usage.input_tokens is not of the type int', withAttributes({ 'gen_ai.usage.input_tokens': '5' })],
    [
      'gen_ai.response.finish_reasons is not of the type string[]',
      withAttributes({ 'gen_ai.response.finish_reasons': 'stop' }),
    ],
    ...[
      { role: 'user', parts: [] },
      [{ parts: [] }],
      [{ role: 'user' }],
      [{ role: 'user', parts: { type: 'text', content: 'x' } }],
      [{ role: 'user', parts: [{ content: 'x' }] }],
      [{ role: 'user', parts: [{ type: 'text' }] }],
      [{ role: 'user', parts: [{ type: 'tool_call', id: 'c1' }] }],
      [{ role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1' }] }],
      [{ role: 'assistant', parts: [], finish_reason: 0 }],
    ].map((messages): [string, JudgedSpan] => [
      'gen_ai.input.messages is not of the type messages',
      withMessages(messages),
    ]),
  ])('finds that %s', (fault, span) => {
    expect(conventionFaults(span, true)).toEqual([fault]);
  });

  it('finds contents that nobody asked for', () => {
    expect(conventionFaults(withMessages([]), false)).toEqual(['gen_ai.input.messages has content']);
  });
});

/** Attributes of a span of an agent without a name, and without one of them. */
function agent(without?: string): Record<string, unknown> {
  const attributes = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.provider.name': 'openai' };
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => name !== without));
}

/** Spans of the platform that the conventions do not have: their names, kinds and attributes; `?` marks optional ones. */
const OWN: readonly { name: RegExp; kind: string; attributes: readonly string[] }[] = [
  {
    name: /^execution ./,
    kind: 'CONSUMER',
    attributes: [
      'platform.execution.type',
      'platform.execution.status',
      'platform.entity.id?',
      'platform.parent_execution.id?',
    ],
  },
  { name: /^trigger [a-z]+$/, kind: 'INTERNAL', attributes: ['platform.trigger.type', 'platform.job.id?'] },
  { name: /^check policies$/, kind: 'INTERNAL', attributes: ['platform.policy.allowed'] },
  {
    name: /^queue$/,
    kind: 'INTERNAL',
    attributes: ['platform.span.category', 'platform.attempt', 'platform.queue.id'],
  },
  {
    name: /^attempt \d+$/,
    kind: 'INTERNAL',
    attributes: [
      'platform.span.category',
      'platform.attempt',
      'platform.attempt.outcome',
      'platform.worker.id',
      'platform.worker.name',
    ],
  },
  {
    name: /^step ./,
    kind: 'INTERNAL',
    attributes: [
      'platform.span.category',
      'platform.step.name',
      'platform.step.attempt',
      'otel.scope.name',
      'gen_ai.conversation.id?',
    ],
  },
  {
    name: /^deliver ./,
    kind: 'CLIENT',
    attributes: [
      'http.request.method',
      'http.response.status_code',
      'server.address',
      'platform.webhook.id',
      'platform.delivery.id',
      'platform.attempt',
    ],
  },
];

function ownFaults({ name, kind, status_code, attributes }: JudgedSpan): string[] {
  const rules = OWN.find((one) => one.name.test(name));
  if (rules === undefined) return ['nothing has this name'];
  const required = rules.attributes.filter((one) => !one.endsWith('?'));
  const allowed = ['execution.id', 'error.type', ...rules.attributes.map((one) => one.replace('?', ''))];
  return [
    ...(kind === rules.kind ? [] : [`the kind is ${kind}`]),
    ...required.flatMap((one) => (one in attributes ? [] : [`${one} is missing`])),
    ...Object.keys(attributes).flatMap((one) => (allowed.includes(one) ? [] : [`${one} does not belong to it`])),
    ...((status_code === 'ERROR') === 'error.type' in attributes ? [] : ['error.type does not suit the status']),
  ];
}

describe('the spans of the platform follow the conventions', () => {
  let platform: Platform;
  let user: Scenario;
  let subscriber: Subscriber;
  let queueId: string;

  beforeAll(async () => {
    platform = await Platform.shared();
    user = new Scenario(platform);
    subscriber = await Subscriber.start();
    queueId = await user.newQueue('judged');
    await platform.startWorker({ WORKER_QUEUE: queueId, TRACE_CONTENT: 'true' });
  });

  afterAll(async () => {
    await platform.stop();
    await subscriber.stop();
  });

  /** Returns the spans of an ended execution once all of them have arrived, and what is wrong with each. */
  async function judge(executionId: string, complete: readonly string[]): Promise<readonly JudgedSpan[]> {
    await user.waitUntilEnded(executionId);
    const { trace_id } = await json(`/executions/${executionId}`);
    // A span that lasts longer is stored open first, without the attributes of its end.
    return eventually(async () => {
      const spans = (await json(`/traces/${String(trace_id)}/spans?flat=true`)) as unknown as JudgedSpan[];
      const names = spans.map(({ name }) => name);
      for (const name of complete) expect(names).toContain(name);
      expect(spans.flatMap((span) => faultsOf(span, executionId))).toEqual([]);
      return spans;
    });
  }
  function faultsOf(span: JudgedSpan, executionId: string): string[] {
    const isGenAi = 'gen_ai.operation.name' in span.attributes;
    const found = isGenAi ? conventionFaults(span, true) : ownFaults(span);
    const faults = span.attributes['execution.id'] === executionId ? found : [...found, 'execution.id is missing'];
    return faults.map((fault) => `${span.name}: ${fault}`);
  }
  const json = async (path: string): Promise<Record<string, unknown>> => {
    const { status, body } = await call('GET', `${platform.url}/api/v1${path}`, { key: platform.adminKey });
    expect(status).toBe(200);
    return body as Record<string, unknown>;
  };
  const spanNamed = (spans: readonly JudgedSpan[], name: string): JudgedSpan | undefined =>
    spans.find((span) => span.name === name);

  it('for an agent with policies, tools, a session and a subscriber', async () => {
    const mcp_servers = { fixture: { command: process.execPath, args: [MCP_SERVER] } };
    const agentId = await user.newAgent({ name: 'judged', execution_environment: { mcp_servers } });
    const policy = { name: 'judging guard', policy_content: 'package guard\n\nallow if input.action == "execute"' };
    const { id: policy_id } = await unwrap(user.client.POST('/api/v1/policies', { body: policy }));
    const association = { policy_id, entity_type: 'agent' as const, entity_id: agentId };
    await unwrap(user.client.POST('/api/v1/policies/associations', { body: association }));
    const webhook = { url: subscriber.url('/judged'), events: ['done'] };
    await unwrap(user.client.POST('/api/v1/webhooks', { body: webhook }));
    const body = {
      prompt: '[[tool add {"a":40,"b":2}]] and tell me',
      worker_queue_id: queueId,
      session_id: 'judged-session',
    };
    const params = { path: { agent_id: agentId } };
    const started = await unwrap(user.client.POST('/api/v1/agents/{agent_id}/execute', { params, body }));
    const model = 'chat development-model';
    const names = ['execution judged', 'trigger api', 'check policies', 'queue', 'attempt 1', 'deliver done', model];
    const spans = await judge(started.execution_id, [...names, 'invoke_agent judged', 'execute_tool add']);
    expect(spanNamed(spans, model)?.attributes).toMatchObject({
      'gen_ai.conversation.id': 'judged-session',
      'gen_ai.request.stream': true,
      'gen_ai.response.time_to_first_chunk': expect.any(Number),
      'gen_ai.response.model': expect.any(String),
      'gen_ai.response.id': expect.any(String),
      'gen_ai.response.finish_reasons': ['tool_call'],
      'gen_ai.usage.input_tokens': expect.any(Number),
      'gen_ai.usage.output_tokens': expect.any(Number),
      'gen_ai.input.messages': expect.any(String),
      'gen_ai.output.messages': expect.stringContaining('"finish_reason":"tool_call"'),
    });
  });

  it('for an agent that failed', async () => {
    const id = await user.execute(await user.newAgent({ name: 'broken' }), '[[error 400]]', queueId);
    const spans = await judge(id, ['execution broken', 'attempt 1', 'invoke_agent broken']);
    expect(spanNamed(spans, 'chat development-model')?.status_code).toBe('ERROR');
  });

  it('for a team and its members', async () => {
    const team = { name: 'judged crew', configuration: {} };
    const { id: team_id } = await unwrap(user.client.POST('/api/v1/teams', { body: team }));
    await user.newAgent({ name: 'judged member', team_id });
    const task = { member: 'judged member', task: '[[say done]]' };
    const prompt = `[[tool delegate_to_member ${JSON.stringify(task)}]] and sum up`;
    const params = { path: { team_id } };
    const body = { prompt, worker_queue_id: queueId };
    const started = await unwrap(user.client.POST('/api/v1/teams/{team_id}/execute', { params, body }));
    await judge(started.execution_id, [
      'execution judged crew',
      'invoke_agent judged crew',
      'invoke_agent judged member',
    ]);
  });

  it('for a workflow and its steps', async () => {
    const steps = [{ name: 'draft', type: 'prompt', prompt: '[[say a draft]]' }];
    const body = { name: 'judged flow', steps } as never;
    const { id: workflow_id } = await unwrap(user.client.POST('/api/v1/workflows', { body }));
    const params = { path: { workflow_id } };
    const started = await unwrap(
      user.client.POST('/api/v1/workflows/{workflow_id}/execute', {
        params,
        body: { worker_queue_id: queueId },
      }),
    );
    const { execution_id } = started as unknown as { execution_id: string };
    await judge(execution_id, ['execution judged flow', 'invoke_workflow judged flow', 'step draft']);
  });
});
