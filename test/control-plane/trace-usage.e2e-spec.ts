import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call } from '../support/http.js';
import { otlpRequest, type OtlpAttribute, type OtlpSpan } from '../support/otlp-request.js';
import { Platform } from '../support/platform.js';

type Json = Record<string, unknown>;

const START = 1_764_227_000_000_000_000n;
const spanId = (number: number): string => number.toString(16).padStart(16, '0');

/** Returns attributes as OTLP: integers as `intValue`, fractions as `doubleValue`. */
const attributesOf = (values: Readonly<Record<string, string | number>>): OtlpAttribute[] =>
  Object.entries(values).map(([key, value]) => {
    if (typeof value === 'string') return { key, value: { stringValue: value } };
    return { key, value: Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value } };
  });

describe('the usage of a trace', () => {
  let platform: Platform;
  let traceId: string;

  beforeAll(async () => {
    platform = await Platform.shared();
  });

  afterAll(() => platform.stop());

  const read = async (path: string): Promise<Json> => {
    const response = await call('GET', `${platform.url}/api/v1/traces${path}`, { key: platform.adminKey });
    expect(response.status).toBe(200);
    return response.body as Json;
  };

  const span = (number: number, values: Readonly<Record<string, string | number>>, parent = 0): OtlpSpan => ({
    traceId,
    spanId: spanId(number),
    ...(parent === 0 ? {} : { parentSpanId: spanId(parent) }),
    name: `span ${number}`,
    startTimeUnixNano: String(START + BigInt(number)),
    endTimeUnixNano: String(START + 1_000_000n),
    attributes: attributesOf(values),
  });

  async function store(...spans: readonly OtlpSpan[]): Promise<void> {
    const response = await call('POST', `${platform.url}/v1/traces`, {
      key: platform.adminKey,
      body: otlpRequest(spans),
    });
    expect([response.status, response.body]).toEqual([200, {}]);
  }

  const usageOf = ({ models, input_tokens, output_tokens, total_tokens, cost }: Json): unknown[] => [
    models,
    input_tokens,
    output_tokens,
    total_tokens,
    cost,
  ];

  /** Asserts what the list, the trace and its outline say. */
  async function expectUsage(...usage: readonly unknown[]): Promise<void> {
    const page = await read(`?page_size=50&search=${encodeURIComponent('span')}`);
    const listed = (page['items'] as Json[]).find(({ trace_id }) => trace_id === traceId);
    expect(usageOf(listed ?? {})).toEqual(usage);
    expect(usageOf(await read(`/${traceId}`))).toEqual(usage);
    expect(usageOf(await read(`/${traceId}/outline`))).toEqual(usage);
  }

  it.each<[string, Readonly<Record<string, string | number>>, readonly unknown[]]>([
    [
      'the current conventions',
      {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'm-1',
        'gen_ai.usage.input_tokens': 7,
        'gen_ai.usage.output_tokens': 3,
      },
      [['m-1'], 7, 3, 10, null],
    ],
    [
      'the first conventions, which have no operation',
      {
        'gen_ai.system': 'openai',
        'gen_ai.request.model': 'm-1',
        'gen_ai.usage.prompt_tokens': 7,
        'gen_ai.usage.completion_tokens': 3,
      },
      [['m-1'], 7, 3, 10, null],
    ],
    [
      'OpenInference',
      {
        'openinference.span.kind': 'LLM',
        'llm.model_name': 'm-2',
        'llm.token_count.prompt': 7,
        'llm.token_count.completion': 3,
        'llm.token_count.total': 12,
        'llm.cost.total': 0.0125,
      },
      [['m-2'], 7, 3, 12, 0.0125],
    ],
    [
      'the AI SDK',
      {
        'ai.operationId': 'ai.generateText.doGenerate',
        'ai.model.id': 'm-3',
        'ai.usage.promptTokens': 7,
        'ai.usage.completionTokens': 3,
        'gen_ai.usage.cost': 2,
      },
      [['m-3'], 7, 3, 10, 2],
    ],
  ])('is understood in the names of %s', async (_sender, values, usage) => {
    traceId = randomBytes(16).toString('hex');
    await store(span(1, values));
    await expectUsage(...usage);
    const [[model], input_tokens, output_tokens, total_tokens, cost] = usage as [unknown[], ...unknown[]];
    const stored = { model, input_tokens, output_tokens, total_tokens, cost };
    expect(await read(`/${traceId}/spans/${spanId(1)}`)).toMatchObject({ usage: stored });
    expect(await read(`/${traceId}/outline`)).toMatchObject({ spans: [{ usage: stored }] });
  });

  it('counts each request to a model once: not in the span of its agent, not again when it is sent again', async () => {
    traceId = randomBytes(16).toString('hex');
    const tokens = (input: number, output: number): Record<string, number> => ({
      'gen_ai.usage.input_tokens': input,
      'gen_ai.usage.output_tokens': output,
    });
    const chat = (number: number, model: string, input: number): OtlpSpan =>
      span(number, { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': model, ...tokens(input, 1) }, 1);
    const agent = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.request.model': 'a', ...tokens(30, 2) };
    await store(chat(2, 'b', 10), chat(2, 'b', 10));
    await store(chat(3, 'a', 20), span(1, agent), chat(2, 'b', 10));
    await expectUsage(['a', 'b'], 30, 2, 32, null);
    expect(await read(`/${traceId}/spans/${spanId(1)}`)).toMatchObject({ usage: null });
    // The same size in bytes, other tokens: the sums are those of the newest.
    await store(chat(3, 'c', 90));
    await expectUsage(['b', 'c'], 100, 2, 102, null);
    // A late span without a model changes nothing.
    await store(span(4, {}, 3));
    await expectUsage(['b', 'c'], 100, 2, 102, null);
  });

  it('has the cost by the prices of the platform, before that of the sender', async () => {
    const value = `priced-${randomBytes(4).toString('hex')}`;
    const model = { value, label: value, provider: 'test', pricing: { input: 3, output: 15 } };
    const created = await call('POST', `${platform.url}/api/v1/models`, { key: platform.adminKey, body: model });
    expect(created.status).toBe(201);
    traceId = randomBytes(16).toString('hex');
    const chat = (name: string, more: Readonly<Record<string, number>>): Record<string, string | number> => ({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': name,
      'gen_ai.usage.input_tokens': 1000,
      'gen_ai.usage.output_tokens': 500,
      ...more,
    });
    await store(span(1, chat(value, { 'gen_ai.usage.cost': 99 })), span(2, chat('unknown', {})));
    await expectUsage([value, 'unknown'].sort(), 2000, 1000, 3000, 0.0105);
    await store(span(3, chat('unknown', { 'gen_ai.usage.total_cost': 0.5 })));
    await expectUsage([value, 'unknown'].sort(), 3000, 1500, 4500, 0.5105);
  });

  it('ignores what cannot be true, and has at most 20 models', async () => {
    traceId = randomBytes(16).toString('hex');
    const chat = { 'gen_ai.operation.name': 'chat' };
    await store(
      span(1, {}),
      span(2, { ...chat, 'gen_ai.usage.input_tokens': -1, 'gen_ai.usage.output_tokens': 'many', 'llm.cost.total': -2 }),
      span(3, { ...chat, 'gen_ai.request.model': `\u0000${'x'.repeat(1000)}`, 'gen_ai.usage.input_tokens': 1e300 }),
    );
    await expectUsage([`\ufffd${'x'.repeat(254)}`], null, null, null, null);
    expect(await read(`/${traceId}/spans/${spanId(2)}`)).toMatchObject({ usage: null });
    const names = Array.from({ length: 30 }, (_name, index) => `m-${10 + index}`);
    await store(...names.map((name, index) => span(10 + index, { ...chat, 'gen_ai.request.model': name })));
    const first = names.slice(0, 20);
    await expectUsage(first, null, null, null, null);
    // Computed from the spans, the same.
    await store(span(1, { changed: 'yes' }));
    await expectUsage(first, null, null, null, null);
  });

  it('of a trace without requests to models is empty', async () => {
    traceId = randomBytes(16).toString('hex');
    await store(span(1, { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.usage.input_tokens': 5 }));
    await expectUsage([], null, null, null, null);
  });
});
