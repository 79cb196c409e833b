import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { endsOf, moveEnd, periodOfBars, selectionOf, selectionOn } from './plot-selection';

const timeOf = (time: string): string => `2026-11-29T${time}:00.000Z`;
const barsOf = (...times: string[]) => times.map((time) => ({ at: timeOf(time) }));
const BARS = barsOf('10:00', '10:05', '10:10');

describe('a selection on the plot', () => {
  it('is the period from the start of its first bar to the end of its last one, whatever way it was drawn', () => {
    const period = { from: '2026-11-29T10:05:00.000Z', to: '2026-11-29T10:15:00.000Z' };
    const [one, other] = [timeOf('10:05'), timeOf('10:10')];
    expect(periodOfBars({ one, other }, 300)).toEqual(period);
    expect(periodOfBars({ one: other, other: one }, 300)).toEqual(period);
  });

  it('begins with all bars, and other keys do nothing', () => {
    expect(moveEnd(null, 'first', 'ArrowRight', BARS)).toEqual(selectionOf(BARS, 1, 2));
    expect(moveEnd(null, 'last', 'Home', BARS)).toEqual(selectionOf(BARS, 0, 0));
    expect(moveEnd(null, 'first', 'x', BARS)).toBeNull();
    expect(moveEnd(null, 'first', 'End', [])).toBeNull();
  });

  it('keeps its bars when the plot moves on, and ends when one of them has left it or bars have another size', () => {
    const held = { one: timeOf('10:10'), other: timeOf('10:05'), bucketSeconds: 300 };
    const moved = { buckets: barsOf('10:05', '10:10', '10:15'), bucket_seconds: 300 };
    const selection = selectionOn(moved, held);
    expect(selection).toEqual({ one: held.one, other: held.other });
    expect(endsOf(selection, moved.buckets)).toEqual({ first: 0, last: 1 });
    expect(selectionOn({ ...moved, buckets: barsOf('10:10', '10:15') }, held)).toBeNull();
    expect(selectionOn({ ...moved, bucket_seconds: 60 }, held)).toBeNull();
    expect(selectionOn(moved, null)).toBeNull();
  });

  it('stays on the plot, with its ends in order', () => {
    const keys = fc.array(
      fc.tuple(
        fc.constantFrom('first' as const, 'last' as const),
        fc.constantFrom('ArrowLeft', 'ArrowRight', 'Home', 'End'),
      ),
    );
    fc.assert(
      fc.property(keys, fc.integer({ min: 1, max: 9 }), (pressed, count) => {
        const bars = Array.from({ length: count }, (_bar, place) => ({ at: timeOf(`10:0${place}`) }));
        let selection = selectionOf(bars, 0, count - 1);
        for (const [end, key] of pressed) {
          selection = moveEnd(selection, end, key, bars) ?? selection;
          const { first, last } = endsOf(selection, bars);
          expect([first >= 0, first <= last, last < count]).toEqual([true, true, true]);
        }
      }),
    );
  });
});
