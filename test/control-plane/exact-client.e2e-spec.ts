import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createControlPlaneClient, streamEvents, unwrap, type ControlPlaneClient } from '@app/api-client';
import { at } from '../support/typed-client.js';
import { call } from '../support/http.js';
import { otlpRequest } from '../support/otlp-request.js';
import { Platform } from '../support/platform.js';

const LONG = 9_007_199_254_740_993n;
const START = 1_764_227_000_123_456_789n;

describe('the client with exact numbers', () => {
  let platform: Platform;
  let client: ControlPlaneClient;

  beforeAll(async () => {
    platform = await Platform.shared();
    client = createControlPlaneClient({ baseUrl: platform.url, apiKey: platform.adminKey, exactNumbers: true });
  });

  afterAll(() => platform.stop());

  it('returns the nanoseconds and attributes of spans as they were sent, and other numbers as numbers', async () => {
    const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
    const span = {
      traceId,
      spanId,
      name: 'span',
      startTimeUnixNano: String(START),
      endTimeUnixNano: String(START + 5n),
      attributes: [{ key: 'account', value: { intValue: String(LONG) } }],
    };
    await call('POST', `${platform.url}/v1/traces`, { key: platform.adminKey, body: otlpRequest([span]) });
    const trace = await unwrap(client.GET('/api/v1/traces/{trace_id}', at({ trace_id: traceId })));
    expect(trace.spans[0]).toMatchObject({
      start_time_unix_nano: START,
      end_time_unix_nano: START + 5n,
      duration_ns: 5,
      attributes: { account: LONG },
    });
    expect(trace.span_count).toBe(1);
  });

  it('sends and returns free-form values, also in events', async () => {
    const execution_metadata = { account: LONG, deep: [{ small: 1, text: String(LONG) }] };
    const { execution_id } = await unwrap(
      client.POST('/api/v1/executions/create', { body: { prompt: 'p', execution_metadata } }),
    );
    const path = at({ execution_id });
    const read = await unwrap(client.GET('/api/v1/executions/{execution_id}', path));
    expect(read.execution_metadata).toMatchObject(execution_metadata);
    const event = { event_type: 'counted', data: { account: LONG } };
    await unwrap(client.POST('/api/v1/executions/{execution_id}/events', { ...path, body: event }));
    const options = { baseUrl: platform.url, authorization: `Bearer ${platform.adminKey}`, exactNumbers: true };
    for await (const received of streamEvents<{ counted: { account: bigint } }>(execution_id, options)) {
      if (received.event !== 'counted') continue;
      expect(received.data).toMatchObject({ data: { account: LONG } });
      break;
    }
    expect.hasAssertions();
  });
});
