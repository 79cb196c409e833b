import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, type HttpResponse } from '../support/http.js';
import { encodeOtlp, otlpRequest, type OtlpAttribute, type OtlpSpan } from '../support/otlp-request.js';
import { Platform } from '../support/platform.js';
import { OTLP_CORPUS, VALID, type OtlpCase } from './otlp-corpus.js';

const FORMS = ['JSON', 'Protocol Buffers'] as const;
type Form = (typeof FORMS)[number];
const GUARD = { spanId: 'f'.repeat(16), name: 'guard' };

const attributesNamed = (count: number): OtlpAttribute[] =>
  Array.from({ length: count }, (_attribute, index) => ({ key: `a${index}`, value: { boolValue: true } }));

describe('a span over OTLP', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.shared();
  });

  afterAll(() => platform.stop());

  const sendWith = (raw: Uint8Array | string, headers: Record<string, string>): Promise<HttpResponse> =>
    call('POST', `${platform.url}/v1/traces`, { key: platform.adminKey, raw, headers });
  const sendRaw = (raw: Uint8Array | string, type: string): Promise<HttpResponse> =>
    sendWith(raw, { 'Content-Type': type });

  /** Returns the number of refused spans and why. */
  async function send(form: Form, spans: readonly OtlpSpan[]): Promise<{ refused: number; reason: string }> {
    const request = otlpRequest(spans);
    const response =
      form === 'JSON'
        ? await sendRaw(JSON.stringify(request), 'application/json')
        : await sendRaw(encodeOtlp(request), 'application/x-protobuf');
    expect(response.status).toBe(200);
    if (form === 'JSON') {
      const { partialSuccess } = response.body as { partialSuccess?: { rejectedSpans: string; errorMessage: string } };
      return { refused: Number(partialSuccess?.rejectedSpans ?? 0), reason: partialSuccess?.errorMessage ?? '' };
    }
    const text = String(response.body ?? '');
    return { refused: text === '' ? 0 : text.charCodeAt(3), reason: text };
  }

  const readSpans = async (traceId: string): Promise<Record<string, unknown>[]> => {
    const url = `${platform.url}/api/v1/traces/${traceId}/spans?flat=true`;
    return (await call('GET', url, { key: platform.adminKey })).body as Record<string, unknown>[];
  };

  const cases = OTLP_CORPUS.flatMap((one) =>
    FORMS.filter((form) => form === 'JSON' || one.onlyJson !== true).map((form): [string, Form, OtlpCase] => [
      one.name,
      form,
      one,
    ]),
  );

  it.each(cases)('with %s, as %s', async (_name, form, { span, gives }) => {
    const traceId = randomBytes(16).toString('hex');
    const ids = { traceId, spanId: randomBytes(8).toString('hex') };
    const outcome = await send(form, [
      { ...VALID, ...ids, ...span },
      { ...VALID, ...GUARD, traceId },
    ]);
    const spans = await readSpans(traceId);
    const [guard, others] = [
      spans.filter(({ name }) => name === GUARD.name),
      spans.filter(({ name }) => name !== GUARD.name),
    ];
    expect(guard).toHaveLength(1);
    if ('refused' in gives) {
      expect(outcome).toEqual({ refused: 1, reason: expect.stringContaining('span 0 was refused: ') });
      expect(outcome.reason).toContain(gives.refused);
      expect(others).toEqual([]);
    } else {
      expect(outcome).toEqual({ refused: 0, reason: '' });
      expect(others).toEqual([expect.objectContaining({ span_id: ids.spanId })]);
      expect(others[0]).toMatchObject(gives.stored);
    }
  });

  it('that is broken as Protocol Buffers is refused alone', async () => {
    const traceId = randomBytes(16).toString('hex');
    const broken = Buffer.from([0x0a, 0x10, 0x01]);
    const valid = encodeOtlp(otlpRequest([{ ...VALID, ...GUARD, traceId }]));
    const message = (field: number, bytes: Uint8Array): Uint8Array =>
      new BinaryWriter().tag(field, WireType.LengthDelimited).bytes(bytes).finish();
    const request = Buffer.concat([message(1, message(2, message(2, broken))), valid]);
    const response = await sendRaw(request, 'application/x-protobuf');
    expect([response.status, String(response.body)]).toEqual([200, expect.stringContaining('it cannot be decoded')]);
    expect(await readSpans(traceId)).toHaveLength(1);
  });

  it('with 20,000 levels of lists is refused alone', async () => {
    const traceId = randomBytes(16).toString('hex');
    const deep = {
      ...VALID,
      traceId,
      spanId: 'e'.repeat(16),
      attributes: [{ key: 'a', value: { stringValue: 'DEEP' } }],
    };
    const [open, close] = ['{"arrayValue":{"values":[', ']}}'];
    const request = JSON.stringify(otlpRequest([deep, { ...VALID, ...GUARD, traceId }])).replace(
      '{"stringValue":"DEEP"}',
      `${open.repeat(20_000)}${close.repeat(20_000)}`,
    );
    expect((await sendRaw(request, 'application/json')).body).toEqual({
      partialSuccess: { rejectedSpans: '1', errorMessage: expect.stringContaining('more than 32 levels') },
    });
    expect(await readSpans(traceId)).toHaveLength(1);
  });

  it.each(FORMS)('is refused with all others of a request with more than 100,000, as %s', async (form) => {
    const request = { resourceSpans: Array.from({ length: 100_001 }, () => ({ scopeSpans: [] })) };
    const response =
      form === 'JSON'
        ? await sendRaw(JSON.stringify(request), 'application/json')
        : await sendRaw(encodeOtlp(request), 'application/x-protobuf');
    expect(response.status).toBe(400);
    expect(JSON.stringify(response.body)).toContain('more than 100000 spans, resources and scopes');
  });

  it.each<[string, OtlpAttribute[], string]>([
    ['10,000 attributes', attributesNamed(10_000), 'its resource has more than 1000 attributes'],
    ['a megabyte', [{ key: 'a', value: { stringValue: 'x'.repeat(1_048_576) } }], 'more than 524288'],
    ['NUL in its name', [{ key: 'service.name', value: { stringValue: 'a\u0000' } }], 'contains NUL'],
  ])('of a resource with %s is refused, others of the request are stored', async (_name, attributes, reason) => {
    const traceId = randomBytes(16).toString('hex');
    const broken = { ...VALID, traceId, spanId: 'e'.repeat(16) };
    const { resourceSpans } = otlpRequest([{ ...VALID, ...GUARD, traceId }]);
    const both = { resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans: [broken] }] }, ...resourceSpans] };
    expect((await sendRaw(JSON.stringify(both), 'application/json')).body).toEqual({
      partialSuccess: { rejectedSpans: '1', errorMessage: expect.stringContaining(reason) },
    });
    expect(await readSpans(traceId)).toMatchObject([{ name: 'guard' }]);
  });

  it('is counted among the refused ones of its request, of which the first have their reasons', async () => {
    const traceId = randomBytes(16).toString('hex');
    const broken = Array.from({ length: 200 }, () => ({ ...VALID, traceId, spanId: 'ab' }));
    const { refused, reason } = await send('JSON', [...broken, { ...VALID, ...GUARD, traceId }]);
    expect([refused, reason]).toEqual([200, expect.stringMatching(/^span 0 was refused: .*; and 195 more$/)]);
    expect(await readSpans(traceId)).toMatchObject([{ name: 'guard' }]);
  });

  it('may have names of fields in snake_case', async () => {
    const traceId = randomBytes(16).toString('hex');
    const request = JSON.stringify(otlpRequest([{ ...VALID, ...GUARD, traceId }]));
    const snake = request.replaceAll(/"([a-z]+(?:[A-Z][a-z]+)+)":/g, (name) =>
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    );
    expect(snake).toContain('"start_time_unix_nano"');
    expect((await sendRaw(snake, 'application/json')).body).toEqual({});
    expect(await readSpans(traceId)).toMatchObject([
      { name: 'guard', resource_attributes: { 'service.name': 'shop' } },
    ]);
  });

  it('of a request is accepted compressed, and broken requests are refused as a whole with 400', async () => {
    const traceId = randomBytes(16).toString('hex');
    const valid = otlpRequest([{ ...VALID, ...GUARD, traceId }]);
    const json = { 'Content-Type': 'application/json' };
    const protobuf = { 'Content-Type': 'application/x-protobuf' };
    const gzip = { 'Content-Encoding': 'gzip' };
    expect((await sendWith(gzipSync(JSON.stringify(valid)), { ...json, ...gzip })).body).toEqual({});
    expect((await sendWith(gzipSync(encodeOtlp(valid)), { ...protobuf, ...gzip })).status).toBe(200);
    const unstored = otlpRequest([{ ...VALID, spanId: 'e'.repeat(16), traceId }]);
    const compressed = gzipSync(JSON.stringify(unstored));
    const damaged = Buffer.from(compressed);
    damaged[compressed.length - 5] = ~(damaged[compressed.length - 5] ?? 0);
    for (const [body, headers] of [
      ['{"resourceSpans":', json],
      ['[]', json],
      ['', json],
      ['{"resourceSpans":{}}', json],
      [encodeOtlp(unstored).subarray(0, 40), protobuf],
      [Buffer.from([0x0b, 0xff]), protobuf],
      ['not compressed', { ...protobuf, ...gzip }],
      [compressed.subarray(0, compressed.length - 12), { ...json, ...gzip }],
      [damaged, { ...json, ...gzip }],
    ] as const) {
      const response = await sendWith(body, headers);
      expect([response.status, headers['Content-Type'], response.headers.get('content-type')]).toEqual([
        400,
        headers['Content-Type'],
        headers['Content-Type'] === json['Content-Type'] ? 'application/json; charset=utf-8' : 'application/x-protobuf',
      ]);
    }
    expect((await sendWith('', protobuf)).status).toBe(200);
    const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024, 0x20));
    expect((await sendWith(bomb, { ...json, ...gzip })).status).toBe(413);
    expect((await sendWith('x', { 'Content-Type': 'text/plain' })).status).toBe(415);
    expect(await readSpans(traceId)).toHaveLength(1);
  });
});
