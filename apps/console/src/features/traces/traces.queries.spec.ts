import { describe, expect, it } from '@jest/globals';
import { withNumbers, type Outline } from './traces.queries';

describe('the outline of a trace of many days', () => {
  it('has numbers, with which the drawing calculates', () => {
    // As the client returns times beyond 2^53 ns, against its types.
    const long = (2n ** 60n) as unknown as number;
    const spans = [
      { offset_ns: long, duration_ns: null },
      { offset_ns: 0, duration_ns: long },
    ];
    const outline = withNumbers({ duration_ns: long, spans } as unknown as Outline);
    expect(outline.duration_ns).toBe(2 ** 60);
    expect(outline.spans).toEqual([
      { offset_ns: 2 ** 60, duration_ns: null },
      { offset_ns: 0, duration_ns: 2 ** 60 },
    ]);
  });
});
