import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { endsOf, moveEnd, periodOfBars } from './plot-selection';

const BARS = ['10:00', '10:05', '10:10'].map((time) => ({ at: `2026-11-29T${time}:00.000Z` }));

describe('a selection on the plot', () => {
  it('is the period from the start of its first bar to the end of its last one, whatever way it was drawn', () => {
    const period = { from: '2026-11-29T10:05:00.000Z', to: '2026-11-29T10:15:00.000Z' };
    expect(periodOfBars(BARS, { one: 1, other: 2 }, 300)).toEqual(period);
    expect(periodOfBars(BARS, { one: 2, other: 1 }, 300)).toEqual(period);
    expect(periodOfBars([], { one: 0, other: 0 }, 300)).toBeNull();
  });

  it('begins with all bars, and other keys do nothing', () => {
    expect(moveEnd(null, 'first', 'ArrowRight', 3)).toEqual({ one: 1, other: 2 });
    expect(moveEnd(null, 'last', 'Home', 3)).toEqual({ one: 0, other: 0 });
    expect(moveEnd(null, 'first', 'x', 3)).toBeNull();
    expect(moveEnd(null, 'first', 'End', 0)).toBeNull();
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
        let selection = { one: 0, other: count - 1 };
        for (const [end, key] of pressed) {
          selection = moveEnd(selection, end, key, count) ?? selection;
          const { first, last } = endsOf(selection, count);
          expect([first >= 0, first <= last, last < count]).toEqual([true, true, true]);
        }
      }),
    );
  });
});
