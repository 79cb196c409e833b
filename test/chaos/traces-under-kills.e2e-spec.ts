import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { call } from '../support/http.js';
import { requestContinuously, type Ledger } from '../support/ledger.js';
import { otlpRequest } from '../support/otlp-request.js';
import { startOwnPostgres, type OwnServer } from '../support/own-stores.js';
import { Platform } from '../support/platform.js';
import type { PostgresServer } from '../../tools/provision/postgres.js';

const SHARED = 3;
const BATCHES_BETWEEN_KILLS = 30;

describe('traces while the control plane and PostgreSQL are killed', () => {
  let postgres: OwnServer<PostgresServer>;
  let platform: Platform;
  /** Traces to which all batches add spans. */
  const traceIds = Array.from({ length: SHARED }, () => randomBytes(16).toString('hex'));
  /** The ids of all spans that were sent, by trace. */
  const sent = new Map(traceIds.map((traceId) => [traceId, new Set<string>()]));

  beforeAll(async () => {
    postgres = await startOwnPostgres();
    platform = await Platform.start({ databaseUrl: postgres.server.url });
  });

  afterAll(async () => {
    await platform.stop();
    await postgres.remove();
  });

  /** Stores a span in each trace, reads them back, and returns the id of the spans. Throws unless all succeed. */
  async function storeAndRead(): Promise<string> {
    const spanId = randomBytes(8).toString('hex');
    const times = { startTimeUnixNano: '1764227000000000000', endTimeUnixNano: '1764227000000000001' };
    const spans = traceIds.map((traceId) => ({ traceId, spanId, name: 'span', status: { code: 2 }, ...times }));
    for (const ids of sent.values()) ids.add(spanId);
    const options = { key: platform.adminKey, body: otlpRequest(spans) };
    const stored = await call('POST', `${platform.url}/v1/traces`, options);
    if (stored.status !== 200) throw new Error(`Status ${stored.status}`);
    for (const traceId of traceIds) {
      const path = `${platform.url}/api/v1/traces/${traceId}/spans/${spanId}`;
      const { status } = await call('GET', path, { key: platform.adminKey });
      if (status === 404) lost.push(`${traceId} ${spanId}`);
    }
    return spanId;
  }
  const lost: string[] = [];

  /** Waits for acknowledged batches, kills, and starts again after a batch failed. */
  async function kill(ledger: Ledger<string>, stop: () => Promise<void>, start: () => Promise<void>): Promise<void> {
    const target = ledger.acknowledged.length + BATCHES_BETWEEN_KILLS;
    await eventually(() => expect(ledger.acknowledged.length).toBeGreaterThanOrEqual(target));
    const { unacknowledged } = ledger;
    await stop();
    await eventually(() => expect(ledger.unacknowledged).toBeGreaterThan(unacknowledged));
    await start();
  }

  it('lose no acknowledged span, and their sums are those of their spans', async () => {
    const { ledger, stop } = requestContinuously(storeAndRead, { width: 4, until: platform.stopped });
    const [control] = platform.controlPlanes;
    await kill(
      ledger,
      async () => {
        await control?.process.kill('SIGKILL');
      },
      async () => {
        await control?.process.restart();
      },
    );
    await kill(
      ledger,
      () => postgres.kill(),
      async () => {
        await postgres.server.restart();
      },
    );
    await eventually(() => expect(ledger.acknowledged.length).toBeGreaterThan(3 * BATCHES_BETWEEN_KILLS));
    const { acknowledged } = await stop();
    expect(lost).toEqual([]);
    for (const traceId of traceIds) {
      const path = `${platform.url}/api/v1/traces/${traceId}?flat=true`;
      const { body } = await call('GET', path, { key: platform.adminKey });
      const trace = body as { span_count: number; error_count: number; spans: { span_id: string }[] };
      const stored = new Set(trace.spans.map(({ span_id }) => span_id));
      expect(acknowledged.filter((spanId) => !stored.has(spanId))).toEqual([]);
      expect([...stored].filter((spanId) => sent.get(traceId)?.has(spanId) !== true)).toEqual([]);
      expect([trace.span_count, trace.error_count]).toEqual([stored.size, stored.size]);
    }
  });
});
