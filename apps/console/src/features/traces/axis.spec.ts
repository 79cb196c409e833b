import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { axisOf, barOf, brushed, idlePeriods, idleShare, moved, placeOf, timeAt } from './axis';
import type { OutlinedSpan } from './traces.queries';
import { waterfallOf } from './waterfall';

const HOUR = 3_600_000_000_000;
const WAITING = waterfallOf([
  span('run', null, 0, 3 * HOUR),
  span('queued', 'run', 0, HOUR / 100, 'queue'),
  span('ask', 'run', HOUR / 100, HOUR / 100),
  span('answer', 'run', 3 * HOUR - HOUR / 100, HOUR / 100),
]);

describe('a key on an edge of the shown part', () => {
  const whole = { from: 0, to: 3 * HOUR };

  it('moves it, but not over the other edge nor out of the trace', () => {
    expect(moved(WAITING, whole, 'from', 'PageUp')).toEqual({ from: 0.3 * HOUR, to: 3 * HOUR });
    expect(moved(WAITING, whole, 'to', 'PageUp')).toEqual(whole);
    expect(moved(WAITING, whole, 'from', 'ArrowLeft')).toEqual(whole);
    expect(moved(WAITING, whole, 'from', 'End')).toEqual({ from: 2.97 * HOUR, to: 3 * HOUR });
    expect(moved(WAITING, whole, 'to', 'Home')).toEqual({ from: 0, to: 0.03 * HOUR });
    expect(moved(WAITING, whole, 'to', 'Enter')).toBeNull();
  });
});

describe('the time in which nothing works', () => {
  it('is that of spans at the top with others below them, and of those that measure a queue', () => {
    const idle = idlePeriods(WAITING);
    expect(idle).toEqual([
      { from: 0, to: HOUR / 100 },
      { from: HOUR / 50, to: 3 * HOUR - HOUR / 100 },
    ]);
    expect(Math.round(idleShare(idle, WAITING) * 100)).toBe(99);
  });

  it('is not that between the parts of a span below the top, which can work itself', () => {
    const spans = [span('run', null, 0, 10), span('attempt', 'run', 2, 8), span('ask', 'attempt', 4, 1)];
    expect(idlePeriods(waterfallOf(spans))).toEqual([{ from: 0, to: 2 }]);
    expect(idlePeriods(waterfallOf([span('alone', null, 0, 10)]))).toEqual([]);
  });

  it('ends with an open span, which works until the end', () => {
    expect(idlePeriods(waterfallOf([span('a', null, 0, 10), span('b', 'a', 4, null)]))).toEqual([{ from: 0, to: 4 }]);
  });
});

describe('a folded axis', () => {
  it('gives the room to the time in which something works', () => {
    const axis = axisOf({ from: 0, to: 3 * HOUR }, idlePeriods(WAITING));
    expect(axis.map(({ left, right, isFolded }) => [Math.round(left), Math.round(right), isFolded])).toEqual([
      [0, 65, false],
      [65, 68, true],
      [68, 100, false],
    ]);
    const [, , ask, answer] = WAITING.spans.map((one) => barOf(WAITING, one, axis));
    expect([ask?.width, answer?.width].map((width) => Math.round(width ?? 0))).toEqual([32, 32]);
  });

  it('folds nothing where all is idle, or nothing is long', () => {
    const whole = [{ from: 0, to: 100, left: 0, right: 100, isFolded: false }];
    expect(axisOf({ from: 0, to: 100 }, [{ from: 0, to: 100 }])).toEqual(whole);
    expect(axisOf({ from: 0, to: 100 }, [{ from: 10, to: 14 }])).toEqual(whole);
  });
});

describe('the law of the layout', () => {
  const ns = fc.integer({ min: 0, max: 1_000_000 });
  const spans = fc
    .array(fc.tuple(ns, fc.option(ns), fc.boolean()), { minLength: 1, maxLength: 40 })
    .map((all) =>
      all.map(([from, lasts, isQueue], id) => span(`${id}`, null, from, lasts, isQueue ? 'queue' : 'tool')),
    );
  const cases = fc.tuple(spans, ns, ns, fc.boolean()).map(([all, one, other, isFolded]) => {
    const waterfall = waterfallOf(all);
    const window = { from: Math.min(one, other), to: Math.max(one, other) + 1 };
    return { waterfall, window, axis: axisOf(window, isFolded ? idlePeriods(waterfall) : []) };
  });

  it('keeps the axis whole, and all of it inside the box', () => {
    fc.assert(
      fc.property(cases, ({ window, axis }) => {
        expect([axis[0]?.from, axis.at(-1)?.to, axis[0]?.left]).toEqual([window.from, window.to, 0]);
        expect(axis.at(-1)?.right).toBeCloseTo(100, 6);
        for (const [index, stretch] of axis.entries()) {
          expect(stretch.to).toBeGreaterThan(stretch.from);
          expect(stretch.right).toBeGreaterThan(stretch.left);
          if (index > 0) expect([stretch.from, stretch.left]).toEqual([axis[index - 1]?.to, axis[index - 1]?.right]);
        }
      }),
    );
  });

  it('keeps the order of times, finds them again, and never places a bar outside', () => {
    fc.assert(
      fc.property(cases, fc.array(ns), ({ waterfall, window, axis }, times) => {
        const inside = times.filter((time) => time >= window.from && time <= window.to).toSorted((a, b) => a - b);
        const places = inside.map((time) => placeOf(axis, time));
        for (const [index, place] of places.entries()) {
          expect(place).toBeGreaterThanOrEqual(index === 0 ? 0 : (places[index - 1] ?? 0));
          expect(Math.abs(timeAt(axis, place) - (inside[index] ?? 0))).toBeLessThan(1e-3);
        }
        for (const one of waterfall.spans) {
          const bar = barOf(waterfall, one, axis);
          if (bar === null) continue;
          expect(bar.left).toBeGreaterThanOrEqual(0);
          expect(bar.width).toBeGreaterThan(0);
          expect(bar.left + bar.width).toBeLessThanOrEqual(100 + 1e-9);
        }
      }),
    );
  });
});

describe('a brush', () => {
  it('selects between two places in any order, inside the trace', () => {
    expect(brushed(WAITING, 0.5, 0.25)).toEqual({ from: 0.75 * HOUR, to: 1.5 * HOUR });
    expect(brushed(WAITING, -1, 2)).toEqual({ from: 0, to: 3 * HOUR });
    expect(brushed(WAITING, 0.5, 0.501)).toBeNull();
  });
});

function span(
  span_id: string,
  parent_span_id: string | null,
  offset_ns: number,
  duration_ns: number | null,
  category: OutlinedSpan['category'] = 'tool',
): OutlinedSpan {
  const rest = {
    name: span_id,
    service_name: null,
    kind: 'INTERNAL',
    status_code: 'OK',
    events: 0,
    usage: null,
  } as const;
  return { span_id, parent_span_id, offset_ns, duration_ns, category, ...rest };
}
