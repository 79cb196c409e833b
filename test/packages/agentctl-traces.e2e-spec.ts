import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import { Agentctl } from '../support/agentctl.js';
import { otlpRequest } from '../support/otlp-request.js';
import { Platform } from '../support/platform.js';

/** Attributes of a request to a model. */
const REQUEST = [
  { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
  { key: 'gen_ai.request.model', value: { stringValue: 'some-model' } },
  { key: 'gen_ai.usage.input_tokens', value: { intValue: '1000' } },
  { key: 'gen_ai.usage.output_tokens', value: { intValue: '10' } },
  { key: 'gen_ai.usage.cost', value: { doubleValue: 0.25 } },
];

describe('traces at the command line', () => {
  let platform: Platform;
  let client: ReturnType<Platform['client']>;
  const cli = new Agentctl();

  beforeAll(async () => {
    platform = await Platform.shared();
    client = platform.client();
    await cli.install();
    await cli.signIn(platform);
  });

  afterAll(async () => {
    await platform.stop();
    cli.remove();
  });

  it('shows a trace as a tree, found by its id or by that of the execution', async () => {
    const { execution_id: id } = await unwrap(client.POST('/api/v1/executions/create', { body: { prompt: 'Go' } }));
    const params = { path: { execution_id: id } };
    const { trace_id } = await unwrap(client.GET('/api/v1/executions/{execution_id}', { params }));
    const traceId = trace_id ?? '';
    const times = { startTimeUnixNano: '1764227000000000000', endTimeUnixNano: '1764227001000000000' };
    const spans = [
      { traceId, spanId: '1'.repeat(16), name: 'request', ...times },
      { traceId, spanId: '2'.repeat(16), parentSpanId: '1'.repeat(16), name: 'query', ...times, status: { code: 2 } },
      { traceId, spanId: '3'.repeat(16), parentSpanId: '1'.repeat(16), name: 'answer', ...times, attributes: REQUEST },
    ];
    await unwrap(client.POST('/v1/traces', { body: otlpRequest(spans) as never }));
    const listed = cli.start(['traces', 'list', '--filter', 'service_name=shop']);
    const line = expect.stringMatching(`${traceId} .* 1010 +0\\.25 +\\["some-model"\\] +shop .*request`);
    expect([await listed.end(), listed.stdout]).toEqual([0, line]);
    for (const args of [[traceId], [id], [id, '--errors']]) {
      const shown = cli.start(['traces', 'show', ...args]);
      expect([await shown.end(), shown.stdout]).toEqual([
        0,
        expect.stringMatching(/^request +1 s █+\n {2}query .* error\n/),
      ]);
      expect(shown.stdout.includes('answer')).toBe(!args.includes('--errors'));
      expect(/answer .* 1,010 tokens\n/.test(shown.stdout)).toBe(!args.includes('--errors'));
      expect(shown.stdout).toMatch(/\n1,010 tokens · 1,000 input · 10 output · cost 0\.25 · some-model\n$/);
    }
  });

  it('prints integers with all digits, also of a trace that lasts for years', async () => {
    const traceId = randomBytes(16).toString('hex');
    const spans = [
      {
        traceId,
        spanId: '1'.repeat(16),
        name: 'long',
        startTimeUnixNano: '1764227000000000001',
        endTimeUnixNano: '1864227000000000002',
        attributes: [{ key: 'order', value: { intValue: '9007199254740993' } }],
      },
    ];
    await unwrap(client.POST('/v1/traces', { body: otlpRequest(spans) as never }));
    const read = cli.start(['traces', 'get', traceId, '-o', 'json']);
    expect([await read.end(), read.stdout]).toEqual([0, expect.stringContaining('"order": 9007199254740993')]);
    expect(read.stdout).toContain('"start_time_unix_nano": 1764227000000000001');
    const shown = cli.start(['traces', 'show', traceId]);
    expect([await shown.end(), shown.stdout]).toEqual([0, expect.stringMatching(/^long +27778 h █+\n$/)]);
  });

  it('follows the trace of an execution from before its first span until the execution has ended', async () => {
    const { execution_id: id } = await unwrap(client.POST('/api/v1/executions/create', { body: { prompt: 'Go' } }));
    const params = { path: { execution_id: id } };
    const followed = cli.start(['traces', 'show', id, '--follow']);
    await eventually(() => expect(followed.stderr).toContain('The trace has no span yet.'));
    const { trace_id } = await unwrap(client.GET('/api/v1/executions/{execution_id}', { params }));
    const span = { traceId: trace_id ?? '', spanId: '1'.repeat(16), name: 'request', startTimeUnixNano: '1' };
    await unwrap(client.POST('/v1/traces', { body: otlpRequest([{ ...span, endTimeUnixNano: '2' }]) as never }));
    await eventually(() => expect(followed.stderr).toContain('request: '));
    await unwrap(client.PATCH('/api/v1/executions/{execution_id}', { params, body: { status: 'cancelled' } }));
    expect([await followed.end(), followed.stdout]).toEqual([
      0,
      expect.stringMatching(/^request .*\nexecution agent /),
    ]);
  });
});
