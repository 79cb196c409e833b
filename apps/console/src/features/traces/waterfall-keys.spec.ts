import { describe, expect, it } from '@jest/globals';
import type { OutlinedSpan } from './traces.queries';
import { shownSpans, waterfallOf } from './waterfall';
import { stepOf } from './waterfall-keys';

const WATERFALL = waterfallOf([span('a', null), span('b', 'a'), span('c', 'b', 'ERROR'), span('d', 'a')]);

describe('a key on a waterfall', () => {
  it.each([
    ['ArrowDown', 'a', { kind: 'select', index: 1 }],
    ['ArrowUp', 'a', { kind: 'select', index: 0 }],
    ['ArrowDown', 'd', null],
    ['End', 'a', { kind: 'select', index: 3 }],
    ['ArrowRight', 'a', { kind: 'select', index: 1 }],
    ['ArrowRight', 'c', null],
    ['ArrowLeft', 'b', { kind: 'fold', spanId: 'b', isFolded: true }],
    ['ArrowLeft', 'd', { kind: 'select', index: 0 }],
    ['e', 'a', { kind: 'select', index: 2 }],
    ['E', 'd', { kind: 'select', index: 2 }],
    ['+', 'a', { kind: 'zoom', factor: 0.5 }],
    ['0', 'a', { kind: 'zoom', factor: null }],
    ['x', 'a', null],
  ] as const)('%s at %s', (key, id, step) => {
    expect(stepAt(key, id, new Set())).toEqual(step);
  });

  it('unfolds a folded span, and goes to its parent', () => {
    const folded = new Set(['b']);
    expect(stepAt('ArrowRight', 'b', folded)).toEqual({ kind: 'fold', spanId: 'b', isFolded: false });
    expect(stepAt('ArrowLeft', 'b', folded)).toEqual({ kind: 'select', index: 0 });
    expect(stepAt('ArrowDown', 'b', folded)).toEqual({ kind: 'select', index: 3 });
  });
});

function stepAt(key: string, id: string, folded: ReadonlySet<string>): ReturnType<typeof stepOf> {
  const shown = shownSpans(WATERFALL, folded);
  const place = shown.findIndex((index) => WATERFALL.spans[index]?.span_id === id);
  return stepOf(key, WATERFALL, shown, place, folded);
}

function span(
  span_id: string,
  parent_span_id: string | null,
  status_code: OutlinedSpan['status_code'] = 'OK',
): OutlinedSpan {
  const rest = {
    service_name: null,
    kind: 'INTERNAL',
    category: 'other',
    offset_ns: 0,
    duration_ns: 1,
    usage: null,
  } as const;
  return { span_id, parent_span_id, name: span_id, status_code, events: 0, ...rest };
}
