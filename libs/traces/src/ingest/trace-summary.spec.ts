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
      service: fc.option(fc.constantFrom('shop', 'store')),
    }),
    { selector: ({ span_id }) => span_id, minLength: 1, maxLength: 12 },
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
