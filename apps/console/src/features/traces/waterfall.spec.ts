import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { OutlinedSpan } from './traces.queries';
import { axisOf, barOf } from './axis';
import { above, nanosecondsText, nextError, shownSpans, waterfallOf, zoomed } from './waterfall';

const SPANS = [
  span('a', null, 0, 1000),
  span('b', 'a', 100, 200),
  span('c', 'b', 150, 50, 'ERROR'),
  span('d', 'a', 400, null),
  span('e', 'lost', 500, 100),
];

describe('a waterfall', () => {
  const waterfall = waterfallOf(SPANS);

  it('knows the depth of each span, what is below it and whether that failed', () => {
    expect(waterfall.depths).toEqual([0, 1, 2, 1, 0]);
    expect(waterfall.ends).toEqual([4, 3, 3, 4, 5]);
    expect(waterfall.hidesErrors).toEqual([true, true, false, false, false]);
    expect(waterfall.lastNs).toBe(1000);
  });

  it('leaves out what is below a folded span', () => {
    expect(shownSpans(waterfall, new Set(['b']))).toEqual([0, 1, 3, 4]);
    expect(shownSpans(waterfall, new Set(['a']))).toEqual([0, 4]);
    expect(above(waterfall, 2)).toEqual(['a', 'b']);
  });

  it('places bars in a window, and open ones to the end', () => {
    const whole = axisOf({ from: 0, to: 1000 }, []);
    expect(barOf(waterfall, SPANS[1] as OutlinedSpan, whole)).toEqual({ left: 10, width: 20 });
    expect(barOf(waterfall, SPANS[3] as OutlinedSpan, whole)).toEqual({ left: 40, width: 60 });
    expect(barOf(waterfall, SPANS[1] as OutlinedSpan, axisOf({ from: 500, to: 1000 }, []))).toBeNull();
    expect(barOf(waterfall, SPANS[0] as OutlinedSpan, axisOf({ from: 200, to: 300 }, []))).toEqual({
      left: 0,
      width: 100,
    });
  });

  it('finds errors in both directions, around the ends', () => {
    expect([nextError(waterfall, 0, 1), nextError(waterfall, 2, 1), nextError(waterfall, 0, -1)]).toEqual([2, 2, 2]);
    expect(nextError(waterfallOf([span('a', null, 0, 1)]), 0, 1)).toBeUndefined();
  });

  it('stays inside its window, and its window inside the trace', () => {
    const ns = fc.integer({ min: 0, max: 1_000_000 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(ns, ns), { minLength: 1 }),
        ns,
        fc.double({ min: 0.1, max: 4, noNaN: true }),
        (times, about, factor) => {
          const spans = times.map(([offset, duration], index) => span(`${index}`, null, offset, duration));
          const drawn = waterfallOf(spans);
          const window = zoomed(drawn, { from: 0, to: drawn.lastNs }, Math.min(about, drawn.lastNs), factor);
          expect(window.from).toBeGreaterThanOrEqual(0);
          expect(window.to).toBeLessThanOrEqual(drawn.lastNs + 1e-6);
          for (const one of spans) {
            const bar = barOf(drawn, one, axisOf(window, []));
            if (bar === null) continue;
            expect(bar.left).toBeGreaterThanOrEqual(0);
            expect(bar.left + bar.width).toBeLessThanOrEqual(100 + 1e-9);
          }
        },
      ),
    );
  });
});

describe('a duration', () => {
  it.each([
    [null, 'open'],
    [12, '12 ns'],
    [1500, '1.5 µs'],
    [999_949, '999.9 µs'],
    [999_999, '1.0 ms'],
    [2_500_000, '2.5 ms'],
    [999_960_000, '1.00 s'],
    [61_000_000_000, '61.00 s'],
    [180_000_000_000, '3.0 min'],
  ])('%p is %s', (ns, text) => {
    expect(nanosecondsText(ns)).toBe(text);
  });
});

function span(
  span_id: string,
  parent_span_id: string | null,
  offset_ns: number,
  duration_ns: number | null,
  status_code: OutlinedSpan['status_code'] = 'OK',
): OutlinedSpan {
  const rest = {
    name: span_id,
    service_name: null,
    kind: 'INTERNAL',
    category: 'other',
    events: 0,
    usage: null,
  } as const;
  return { span_id, parent_span_id, offset_ns, duration_ns, status_code, ...rest };
}
