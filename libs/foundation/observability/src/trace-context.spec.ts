import { describe, expect, it } from '@jest/globals';
import { derivedSpanId, newSpanId, traceContextFrom, traceparentOf } from './trace-context.js';

const TRACE = 'a'.repeat(32);
const SPAN = 'b'.repeat(16);
const SPAN_ID = /^(?!0{16})[0-9a-f]{16}$/;

describe('the context of a trace', () => {
  it('is read from the headers of a request', () => {
    const context = { traceId: TRACE, spanId: SPAN, traceState: 'vendor=1,other=2' };
    expect(traceContextFrom(`00-${TRACE}-${SPAN}-01`, 'vendor=1,other=2')).toEqual(context);
    expect(traceparentOf(context)).toBe(`00-${TRACE}-${SPAN}-01`);
    expect(traceparentOf(context, { isSampled: false })).toBe(`00-${TRACE}-${SPAN}-00`);
  });

  it.each([undefined, null, '', 'nonsense', `00-${TRACE}-${SPAN}`, `00-${'0'.repeat(32)}-${SPAN}-01`])(
    'begins a new trace with the header %s, without the state of the caller',
    (traceparent) => {
      const context = traceContextFrom(traceparent, 'vendor=1');
      expect(context).toEqual({ traceId: expect.stringMatching(/^[0-9a-f]{32}$/), spanId: null, traceState: null });
    },
  );

  it('remains the same in a message that no span has sent', () => {
    const context = { traceId: TRACE, spanId: null, traceState: null };
    expect(traceContextFrom(traceparentOf(context))).toEqual(context);
  });

  it('leaves out a state that W3C does not require to pass along', () => {
    const stateOf = (state: string): string | null => traceContextFrom(`00-${TRACE}-${SPAN}-01`, state).traceState;
    expect(stateOf('v='.padEnd(512, 'x'))).toHaveLength(512);
    expect(['', 'v='.padEnd(513, 'x'), 'v=\n1', 'v=ü'].map(stateOf)).toEqual([null, null, null, null]);
  });
});

describe('the id of a span', () => {
  it('is random, or follows from what the span is', () => {
    const ids = [newSpanId(), newSpanId(), derivedSpanId('lease', SPAN, 1), derivedSpanId('lease', SPAN, 2)];
    for (const id of ids) expect(id).toMatch(SPAN_ID);
    expect(new Set(ids).size).toBe(4);
    expect(derivedSpanId('lease', SPAN, 1)).toBe(ids[2]);
  });
});
