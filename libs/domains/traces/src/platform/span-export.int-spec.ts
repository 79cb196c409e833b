import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { loadConfig, TracingConfig } from '@app/config';
import { toSentSpan } from './platform-span.js';
import { SpanExport } from './span-export.js';

const TRACE_ID = 'ab'.repeat(16);

describe('the export of spans of the platform', () => {
  it('sends them to the configured receiver, with its headers, before the process ends', async () => {
    const received: { path: string; team: unknown; bytes: Buffer }[] = [];
    const receiver = createServer((request, response) => {
      const receive = async (): Promise<void> => {
        const bytes = await buffer(request);
        received.push({ path: request.url ?? '', team: request.headers['x-team'], bytes });
        response.end();
      };
      void receive();
    });
    await once(receiver.listen(0, '127.0.0.1'), 'listening');
    const { port } = receiver.address() as AddressInfo;
    const exporting = new SpanExport(
      loadConfig(TracingConfig, {
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
        OTEL_EXPORTER_OTLP_HEADERS: 'X-Team=blue%20team',
      }),
    );
    const times = { startedAt: 1_764_227_000_000, endedAt: 1_764_227_000_005 };
    const attributes = { 'platform.attempt': 3n };
    const span = { spanId: '1'.repeat(16), parentSpanId: null, name: 'attempt 3', attributes, ...times, error: 'Rain' };
    exporting.send([toSentSpan({ traceId: TRACE_ID, traceState: null }, 'execution-1', span)]);
    await exporting.onApplicationShutdown();
    receiver.close();
    expect(received).toMatchObject([{ path: '/v1/traces', team: 'blue team' }]);
    const [bytes] = received.map((request) => request.bytes.toString('latin1'));
    for (const text of ['attempt 3', 'execution-1', 'control-plane', 'Rain']) expect(bytes).toContain(text);
    expect(bytes).toContain(Buffer.from(TRACE_ID, 'hex').toString('latin1'));
  });

  it('does nothing without a receiver', async () => {
    const exporting = new SpanExport(loadConfig(TracingConfig, {}));
    exporting.send([]);
    await expect(exporting.onApplicationShutdown()).resolves.toBeUndefined();
  });
});
