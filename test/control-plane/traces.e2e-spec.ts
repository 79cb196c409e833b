import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace as tracing } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { SimpleSpanProcessor, TracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace';
import { call, type HttpResponse } from '../support/http.js';
import { encodeOtlp, otlpRequest, type OtlpRequest, type OtlpSpan } from '../support/otlp-request.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';

type Json = Record<string, unknown>;

const START = 1_764_227_000_123_456_789n;
const newTraceId = (): string => randomBytes(16).toString('hex');
const spanId = (number: number): string => number.toString(16).padStart(16, '0');

describe('traces over HTTP', () => {
  let platform: Platform;
  let user: Scenario;

  beforeAll(async () => {
    platform = await Platform.shared();
    user = new Scenario(platform);
  });

  afterAll(() => platform.stop());

  const get = (path: string, headers: Record<string, string> = {}, key = platform.adminKey): Promise<HttpResponse> =>
    call('GET', `${platform.url}/api/v1/traces${path}`, { key, headers });
  const read = async (path: string): Promise<Json> => {
    const response = await get(path);
    expect(response.status).toBe(200);
    return response.body as Json;
  };
  const textOf = async (path: string): Promise<string> => {
    const headers = { Authorization: `Bearer ${platform.adminKey}` };
    return (await fetch(`${platform.url}/api/v1/traces${path}`, { headers })).text();
  };

  const sendBytes = (raw: Uint8Array | string, headers: Record<string, string>): Promise<HttpResponse> =>
    call('POST', `${platform.url}/v1/traces`, { key: platform.adminKey, raw, headers });
  const sendJson = (request: OtlpRequest): Promise<HttpResponse> =>
    sendBytes(JSON.stringify(request), { 'Content-Type': 'application/json' });
  const sendProtobuf = (request: OtlpRequest): Promise<HttpResponse> =>
    sendBytes(encodeOtlp(request), { 'Content-Type': 'application/x-protobuf' });

  /** Returns a span of one millisecond that starts `at` milliseconds after `START`. */
  const span = (traceId: string, number: number, parent = 0, at = number, more: Partial<OtlpSpan> = {}): OtlpSpan => ({
    traceId,
    spanId: spanId(number),
    ...(parent === 0 ? {} : { parentSpanId: spanId(parent) }),
    name: `span ${number}`,
    kind: 1,
    startTimeUnixNano: String(START + BigInt(at) * 1_000_000n),
    endTimeUnixNano: String(START + BigInt(at + 1) * 1_000_000n),
    ...more,
  });

  async function store(spans: readonly OtlpSpan[]): Promise<void> {
    const response = await sendJson(otlpRequest(spans));
    expect([response.status, response.body]).toEqual([200, {}]);
  }

  /** Returns the trees of the spans as nested lists of their numbers. */
  const shape = (spans: unknown): unknown[] =>
    (spans as { span_id: string; children: unknown }[]).flatMap(({ span_id, children }) => [
      Number.parseInt(span_id, 16),
      ...(shape(children).length === 0 ? [] : [shape(children)]),
    ]);

  it.each<[string, (options: { url: string; headers: Record<string, string> }) => SpanExporter]>([
    ['JSON', (options) => new JsonExporter(options)],
    ['Protocol Buffers', (options) => new ProtobufExporter(options)],
  ])('are received from the exporter of OpenTelemetry in the form of %s', async (_form, newExporter) => {
    const headers = { Authorization: `Bearer ${platform.adminKey}` };
    const exporter = newExporter({ url: `${platform.url}/v1/traces`, headers });
    const provider = new TracerProvider({
      resource: resourceFromAttributes({ 'service.name': 'exporting', 'service.version': '1.2' }),
      spanProcessors: [new SimpleSpanProcessor({ exporter })],
    });
    const tracer = provider.getTracer('instrumentation', '3.4');
    const root = tracer.startSpan('request', {
      kind: SpanKind.SERVER,
      attributes: { 'http.request.method': 'GET', ratio: 0.5 },
    });
    const parent = tracing.setSpan(ROOT_CONTEXT, root);
    const child = tracer.startSpan(
      'query',
      { kind: SpanKind.CLIENT, links: [{ context: root.spanContext() }] },
      parent,
    );
    child.addEvent('slow', { rows: 3, flags: [true, false] });
    child.setStatus({ code: SpanStatusCode.ERROR, message: 'no rows' });
    child.end();
    root.end();
    await provider.shutdown();
    const { traceId, spanId: rootId } = root.spanContext();
    const trace = await read(`/${traceId}`);
    expect(trace).toMatchObject({
      trace_id: traceId,
      name: 'request',
      service_name: 'exporting',
      status: 'success',
      span_count: 2,
      error_count: 1,
      execution_id: null,
      spans: [
        {
          span_id: rootId,
          name: 'request',
          kind: 'SERVER',
          category: 'http',
          status_code: 'UNSET',
          parent_span_id: null,
          attributes: {
            'http.request.method': 'GET',
            ratio: 0.5,
            'otel.scope.name': 'instrumentation',
            'otel.scope.version': '3.4',
          },
          resource_attributes: { 'service.name': 'exporting', 'service.version': '1.2' },
          children: [
            {
              name: 'query',
              kind: 'CLIENT',
              parent_span_id: rootId,
              status_code: 'ERROR',
              status_message: 'no rows',
              events: [{ name: 'slow', attributes: { rows: 3, flags: [true, false] } }],
              links: [{ trace_id: traceId, span_id: rootId }],
              children: [],
            },
          ],
        },
      ],
    });
    const sent = (root as unknown as { startTime: [number, number] }).startTime;
    const nanoseconds = BigInt(sent[0]) * 1_000_000_000n + BigInt(sent[1]);
    expect(await textOf(`/${traceId}`)).toContain(`"start_time_unix_nano":${nanoseconds},`);
  });

  it('keep integers of 64 bits exact, however they are sent', async () => {
    const traceId = newTraceId();
    const attributes = [
      { key: 'largest', value: { intValue: '9223372036854775807' } },
      { key: 'smallest', value: { intValue: '-9223372036854775808' } },
      { key: 'list', value: { arrayValue: { values: [{ intValue: '9007199254740993' }] } } },
    ];
    await store([span(traceId, 1, 0, 0, { attributes })]);
    expect((await sendProtobuf(otlpRequest([span(traceId, 2, 1, 0, { attributes })]))).status).toBe(200);
    const numbers = JSON.stringify(otlpRequest([span(traceId, 3, 1, 0, { attributes })])).replaceAll(
      /"(-?\d{16,})"/g,
      (quoted, digits: string) => (digits === spanId(3) || digits === spanId(1) ? quoted : digits),
    );
    expect((await sendBytes(numbers, { 'Content-Type': 'application/json' })).body).toEqual({});
    const text = await textOf(`/${traceId}?flat=true`);
    for (const exact of [
      `"start_time_unix_nano":${START}`,
      `"end_time_unix_nano":${START + 1_000_000n}`,
      '"largest":9223372036854775807',
      '"smallest":-9223372036854775808',
      '"list":[9007199254740993]',
    ]) {
      expect(text.split(exact)).toHaveLength(4);
    }
  });

  it('are trees: orphans become roots, cycles are cut, siblings are ordered by start', async () => {
    const traceId = newTraceId();
    await store([
      span(traceId, 1, 0, 5),
      span(traceId, 2, 1, 9),
      span(traceId, 3, 1, 7),
      span(traceId, 4, 99, 1),
      span(traceId, 5, 7, 3),
      span(traceId, 6, 5, 2),
      span(traceId, 7, 6, 4),
      span(traceId, 8, 8, 8),
    ]);
    expect(shape((await read(`/${traceId}`))['spans'])).toEqual([4, 6, [7, [5]], 1, [3, 2], 8]);
    const flat = (await read(`/${traceId}?flat=true`))['spans'] as Json[];
    expect(flat.map((one) => Number.parseInt(String(one['span_id']), 16))).toEqual([4, 6, 5, 7, 1, 3, 8, 2]);
    expect(flat.some((one) => 'children' in one)).toBe(false);
    expect(shape(await read(`/${traceId}/spans`))).toEqual([4, 6, [7, [5]], 1, [3, 2], 8]);
  });

  it('keep the newest of spans with the same id, and count it once', async () => {
    const traceId = newTraceId();
    await store([span(traceId, 1, 0, 0), span(traceId, 1, 0, 0, { name: 'later in the batch' })]);
    await store([span(traceId, 1, 0, 3, { name: 'sent again', status: { code: 2 } }), span(traceId, 2, 1, 4)]);
    expect(await read(`/${traceId}`)).toMatchObject({
      name: 'sent again',
      span_count: 2,
      error_count: 1,
      status: 'error',
      duration_ms: 2,
      spans: [{ name: 'sent again', children: [{ name: 'span 2' }] }],
    });
  });

  it('are readable at once while batches of one trace arrive at the same time', async () => {
    const traceId = newTraceId();
    await Promise.all(
      Array.from({ length: 20 }, async (_batch, batch) => {
        const first = batch * 10 + 2;
        await store(Array.from({ length: 10 }, (_span, index) => span(traceId, first + index, 1)));
        const page = (await read(`/${traceId}/spans?flat=1`)) as unknown as Json[];
        expect(page.map((one) => one['span_id'])).toEqual(expect.arrayContaining([spanId(first), spanId(first + 9)]));
      }),
    );
    await store([span(traceId, 1, 0, 0, { endTimeUnixNano: String(START + 1_000_000_000n) })]);
    expect(await read(`/${traceId}`)).toMatchObject({ name: 'span 1', span_count: 201, duration_ms: 1000 });
  });

  it('run while a span is open', async () => {
    const traceId = newTraceId();
    await store([span(traceId, 1, 0, 0, { endTimeUnixNano: '0' })]);
    const open = { status: 'running', ended_at: null, duration_ms: null };
    expect(await read(`/${traceId}`)).toMatchObject({
      ...open,
      spans: [{ end_time_unix_nano: null, duration_ns: null, duration_ms: null }],
    });
    await store([span(traceId, 1)]);
    expect(await read(`/${traceId}`)).toMatchObject({ status: 'success', duration_ms: 1 });
  });

  it('are listed by filters, in pages', async () => {
    const service = `service ${newTraceId()}`;
    const ids = [newTraceId(), newTraceId(), newTraceId()];
    const endOf = (index: number): string => String(START + BigInt(index * 1000 + index + 1) * 1_000_000n);
    for (const [index, id] of ids.entries()) {
      const status = index === 1 ? { status: { code: 2 } } : {};
      const sent = otlpRequest(
        [span(id, 1, 0, index * 1000, { name: `Checkout ${index}`, ...status, endTimeUnixNano: endOf(index) })],
        service,
      );
      expect((await sendProtobuf(sent)).status).toBe(200);
    }
    const list = async (query: string): Promise<unknown[]> => {
      const page = await read(`?service_name=${encodeURIComponent(service)}&${query}`);
      return (page['items'] as Json[]).map((item) => ids.indexOf(String(item['trace_id'])));
    };
    expect(await list('')).toEqual([2, 1, 0]);
    expect(await list('sort=started_at')).toEqual([0, 1, 2]);
    expect(await list('has_errors=true')).toEqual([1]);
    expect(await list('status=success')).toEqual([2, 0]);
    expect(await list('search=CHECKOUT%202')).toEqual([2]);
    const [{ user_id }] = (await read(`?service_name=${encodeURIComponent(service)}`))['items'] as [Json];
    expect(await list(`user_id=${String(user_id)}`)).toEqual([2, 1, 0]);
    expect(await list('user_id=nobody')).toEqual([]);
    expect(await list('sort=duration_ms')).toEqual([0, 1, 2]);
    expect(await list('sort=-duration_ms')).toEqual([2, 1, 0]);
    const second = new Date(Number(START / 1_000_000n) + 1000).toISOString();
    expect(await list(`time_from=${second}`)).toEqual([2, 1]);
    expect(await list(`time_to=${second}`)).toEqual([0]);
    expect(await list('time_from=1800-01-01T00:00:00Z&time_to=9999-12-31T00:00:00Z')).toEqual([2, 1, 0]);
    const page = await read(`?service_name=${encodeURIComponent(service)}&page_size=2`);
    expect(page).toMatchObject({
      total: 3,
      page: 1,
      page_size: 2,
      total_pages: 2,
      has_next: true,
      has_previous: false,
    });
    expect(await list(`page_size=2&page=2`)).toEqual([0]);
    expect(await list(`page_size=2&cursor=${String(page['next_cursor'])}`)).toEqual([0]);
    expect((page['items'] as Json[])[0]).toMatchObject({ spans: [], user_id: expect.any(String) });
  });

  it('belong to the execution that their spans name, and to its user', async () => {
    const agentId = await user.newAgent();
    const started = await call('POST', `${platform.url}/api/v1/agents/${agentId}/execute`, {
      key: platform.adminKey,
      body: { prompt: 'hi' },
    });
    const executionId = String((started.body as Json)['execution_id']);
    const named = [{ key: 'execution.id', value: { stringValue: executionId } }];
    const traceId = newTraceId();
    await store([span(traceId, 1)]);
    await store([span(traceId, 2, 1, 2, { attributes: named })]);
    const trace = await read(`/${traceId}`);
    expect(trace).toMatchObject({ execution_id: executionId, execution_type: 'agent', span_count: 2 });
    expect((await read(`?execution_id=${executionId}`))['total']).toBe(1);
    const other = await platform.createOrganization('other');
    const foreign = await call('POST', `${platform.url}/v1/traces`, {
      key: other.adminKey,
      body: otlpRequest([span(traceId, 1), span(traceId, 2, 1, 2, { attributes: named })]),
    });
    expect(foreign.body).toEqual({
      partialSuccess: {
        rejectedSpans: '1',
        errorMessage: `span 1 was refused: there is no execution "${executionId}"`,
      },
    });
    expect((await get(`/${traceId}`, {}, other.adminKey)).body).toMatchObject({ span_count: 1, execution_id: null });
    expect(await read(`/${traceId}`)).toMatchObject({ span_count: 2 });
  });

  it('can be 10,000 spans deep, in a tree, an outline and pages', async () => {
    const traceId = newTraceId();
    const depth = 10_000;
    await store(Array.from({ length: depth }, (_span, index) => span(traceId, index + 1, index)));
    const text = await textOf(`/${traceId}`);
    expect(text.split('"children":[{')).toHaveLength(depth);
    expect(text.endsWith(`"children":[]${'}]'.repeat(depth)}}`)).toBe(true);
    const outline = await read(`/${traceId}/outline`);
    expect((outline['spans'] as Json[]).map(({ span_id }) => span_id)).toEqual(
      Array.from({ length: depth }, (_span, index) => spanId(index + 1)),
    );
    const page = await get(`/${traceId}/spans?limit=1000`);
    expect([(page.body as Json[]).length, page.headers.get('x-total-count')]).toEqual([1000, String(depth)]);
  });

  it('have an outline and single spans, which are sent again only after a change', async () => {
    const traceId = newTraceId();
    const event = { name: 'retry', timeUnixNano: String(START) };
    const attributes = [{ key: 'gen_ai.operation.name', value: { stringValue: 'chat' } }];
    await store([span(traceId, 1), span(traceId, 2, 1, 3, { attributes, events: [event] })]);
    const outline = await get(`/${traceId}/outline`);
    expect(outline.body).toMatchObject({
      trace_id: traceId,
      span_count: 2,
      truncated: false,
      duration_ns: 3_000_000,
      spans: [
        {
          span_id: spanId(1),
          parent_span_id: null,
          offset_ns: 0,
          duration_ns: 1_000_000,
          category: 'other',
          events: 0,
        },
        { span_id: spanId(2), parent_span_id: spanId(1), offset_ns: 2_000_000, category: 'model', events: 1 },
      ],
    });
    const known = { 'If-None-Match': outline.headers.get('etag') ?? '' };
    expect((await get(`/${traceId}/outline`, known)).status).toBe(304);
    const single = await get(`/${traceId}/spans/${spanId(2)}`);
    expect(single.body).toMatchObject({ name: 'span 2', events: [{ name: 'retry' }], attributes: expect.any(Object) });
    const knownSpan = { 'If-None-Match': single.headers.get('etag') ?? '' };
    expect((await get(`/${traceId}/spans/${spanId(2)}`, knownSpan)).status).toBe(304);
    await store([span(traceId, 3, 1, 5)]);
    expect((await get(`/${traceId}/outline`, known)).status).toBe(200);
    expect((await get(`/${traceId}/spans/${spanId(2)}`, knownSpan)).status).toBe(304);
  });

  it('are found by their id and by that of the row', async () => {
    const traceId = newTraceId();
    await store([span(traceId, 1)]);
    const trace = await read(`/${traceId.toUpperCase()}`);
    expect(await read(`/${String(trace['id'])}`)).toEqual(trace);
    const [{ id: rowId }] = trace['spans'] as [Json];
    expect(await read(`/${traceId}/spans/${String(rowId)}`)).toMatchObject({ span_id: spanId(1) });
    for (const path of [`/${newTraceId()}`, `/${newTraceId()}/outline`, `/${newTraceId()}/spans`]) {
      expect((await get(path)).body).toEqual({ detail: 'Trace not found' });
    }
    expect((await get(`/${traceId}/spans/${spanId(9)}`)).body).toEqual({ detail: 'Span not found' });
  });

  it('have pages of spans, which are the flat list', async () => {
    const traceId = newTraceId();
    await store(Array.from({ length: 25 }, (_span, index) => span(traceId, index + 1, index, index % 5)));
    const all = (await read(`/${traceId}/spans?flat=true`)) as unknown as Json[];
    const paged: Json[] = [];
    let next: string | null = '';
    while (next !== null) {
      const page = await get(`/${traceId}/spans?limit=10${next === '' ? '' : `&cursor=${next}`}`);
      expect(page.headers.get('x-total-count')).toBe('25');
      paged.push(...(page.body as Json[]));
      next = page.headers.get('x-next-cursor');
    }
    expect(paged).toEqual(all);
    const damaged = await get(`/${traceId}/spans?cursor=abc`);
    expect(damaged.status).toBe(422);
  });
});
