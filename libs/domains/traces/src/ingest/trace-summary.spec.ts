import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  durationOf,
  mergeSummaries,
  statusOf,
  summaryOf,
  type SummedSpan,
  type TraceSummary,
} from './trace-summary.js';

const tokens = fc.option(fc.integer({ min: 0, max: 1e12 }));
/** More models than a summary has, some of whose order differs in UTF-8 and UTF-16. */
const model = fc.oneof(fc.constantFrom('\u{1f600}', '\uff5e', 'é'), fc.integer({ min: 10, max: 50 }).map(String));
const usage = fc.option(
  fc.record({
    model: fc.option(model),
    input_tokens: tokens,
    output_tokens: tokens,
    total_tokens: tokens,
    cost_nanos: tokens,
  }),
);

const spans = fc
  .uniqueArray(
    fc.record({
      span_id: fc.integer({ min: 1, max: 99 }).map((id) => String(id).padStart(16, '0')),
      parent_span_id: fc.option(fc.constantFrom('a', 'b')),
      name: fc.constantFrom('one', 'two', 'three'),
      status_code: fc.constantFrom('UNSET', 'OK', 'ERROR'),
      start_time_unix_nano: fc.bigInt({ min: 1n, max: 9n }),
      length: fc.option(fc.bigInt({ min: 0n, max: 5_000_000n })),
      bytes: fc.integer({ min: 1, max: 1000 }),
      usage,
      service: fc.option(fc.constantFrom('shop', 'store')),
    }),
    { selector: ({ span_id }) => span_id, minLength: 1, maxLength: 40 },
  )
  .map((all) =>
    all.map(({ length, service, ...span }): SummedSpan => ({
      ...span,
      end_time_unix_nano: length === null ? null : span.start_time_unix_nano + length,
      resource: { service_name: service },
    })),
  );

function summaryOfAll(all: readonly SummedSpan[]): TraceSummary {
  return all.map(summaryOf).reduce((one, other) => mergeSummaries(one, other));
}

describe('the summary of a trace', () => {
  it('does not depend on how its spans are divided into batches, or on their order', () => {
    fc.assert(
      fc.property(spans, fc.integer(), fc.boolean(), (all, at, reversed) => {
        const [whole, ordered] = [summaryOfAll(all), reversed ? [...all].reverse() : all];
        const middle = Math.abs(at) % ordered.length;
        const parts = [ordered.slice(middle), ordered.slice(0, middle)].filter((part) => part.length > 0);
        expect(parts.map(summaryOfAll).reduce((one, other) => mergeSummaries(one, other))).toEqual(whole);
      }),
    );
  });

  it('has the sums and bounds of its spans, and the name of the first root or span', () => {
    fc.assert(
      fc.property(spans, (all) => {
        const summary = summaryOfAll(all);
        const roots = all.filter(({ parent_span_id }) => parent_span_id === null);
        const [first] = [...(roots.length > 0 ? roots : all)].sort(
          (one, other) =>
            Number(one.start_time_unix_nano - other.start_time_unix_nano) || (one.span_id < other.span_id ? -1 : 1),
        );
        expect([summary.name, summary.service_name]).toEqual([first?.name, first?.resource.service_name]);
        expect(summary.span_count).toBe(all.length);
        expect(summary.error_count).toBe(all.filter(({ status_code }) => status_code === 'ERROR').length);
        const requests = all.flatMap((span) => span.usage ?? []);
        for (const field of ['input_tokens', 'output_tokens', 'total_tokens', 'cost_nanos'] as const) {
          const known = requests.flatMap((request) => request[field] ?? []);
          const sum = known.reduce((total, value) => total + BigInt(value), 0n);
          expect(summary[field]).toBe(known.length === 0 ? null : sum);
        }
        const models = [...new Set(requests.flatMap((request) => request.model ?? []))];
        const inOrder = models.sort((a, b) => (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0) || (a < b ? -1 : 1));
        expect(summary.models).toEqual(inOrder.slice(0, 20));
        const ends = all.flatMap(({ end_time_unix_nano }) => end_time_unix_nano ?? []);
        const isRunning = ends.length < all.length;
        const failed = (roots.length > 0 ? roots : all).some(({ status_code }) => status_code === 'ERROR');
        expect(statusOf(summary)).toBe(isRunning ? 'running' : failed ? 'error' : 'success');
        const start = all
          .map(({ start_time_unix_nano }) => start_time_unix_nano)
          .reduce((one, other) => (one < other ? one : other));
        const end = ends.reduce((one, other) => (one > other ? one : other), 0n);
        expect(durationOf(summary)).toBe(isRunning ? null : (end - start) / 1_000_000n);
      }),
    );
  });
});
