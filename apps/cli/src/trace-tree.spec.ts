import { describe, expect, it } from '@jest/globals';
import { durationText, treeOf, usageLine, withErrorsOnly, type OutlinedSpan } from './trace-tree.js';

const MS = 1_000_000;
const span = (id: string, parent: string | null, offset: number, duration: number | null): OutlinedSpan => ({
  span_id: id,
  parent_span_id: parent,
  name: `span ${id}`,
  service_name: null,
  status_code: 'UNSET',
  offset_ns: offset * MS,
  duration_ns: duration === null ? null : duration * MS,
  usage: null,
});

describe('the tree of a trace', () => {
  it('has a line per span, below its parent, with a bar on the axis of the trace', () => {
    const failed = { ...span('c', 'b', 75, 25), status_code: 'ERROR' };
    const spans = [span('a', null, 0, 100), span('b', 'a', 50, 50), failed, span('d', 'missing', 0, 0.5)];
    expect(treeOf({ duration_ns: 100 * MS, spans }).split('\n')).toEqual([
      `span a        100 ms ${'█'.repeat(40)}`,
      `  span b       50 ms ${' '.repeat(20)}${'█'.repeat(20)}`,
      `    span c     25 ms ${' '.repeat(30)}${'█'.repeat(10)} error`,
      'span d        500 µs ▎',
    ]);
  });

  it('has the tokens of requests to models', () => {
    const request = { ...span('a', null, 0, 1), usage: { total_tokens: 12_345 } };
    expect(treeOf({ duration_ns: MS, spans: [request] })).toMatch(/^span a +1 ms █+ 12,345 tokens$/);
    const unknown = { ...request, usage: { total_tokens: null } };
    expect(treeOf({ duration_ns: MS, spans: [unknown] })).toMatch(/█$/);
  });

  it('can last longer than the nanoseconds that a number holds', () => {
    // As the client returns them, against its types.
    const long = { ...span('a', null, 0, 1), duration_ns: (2n ** 60n) as unknown as number };
    const later = { ...span('b', 'a', 0, 1), offset_ns: (2n ** 59n) as unknown as number, duration_ns: null };
    expect(treeOf({ duration_ns: (2n ** 60n) as unknown as number, spans: [long, later] }).split('\n')).toEqual([
      `span a    320256 h ${'█'.repeat(40)}`,
      `  span b   running ${' '.repeat(20)}${'█'.repeat(20)}`,
    ]);
  });

  it('shows open spans as running', () => {
    const [first] = treeOf({ duration_ns: null, spans: [span('a', null, 0, null), span('b', 'a', 0, 10)] }).split('\n');
    expect(first).toBe(`span a     running ${'█'.repeat(40)}`);
  });

  it('can contain only the spans with errors and their ancestors', () => {
    const failed = { ...span('c', 'b', 0, 1), status_code: 'ERROR' };
    const spans = [span('a', null, 0, 2), span('b', 'a', 0, 1), failed, span('d', 'a', 1, 1)];
    expect(withErrorsOnly({ duration_ns: 2, spans }).spans.map(({ span_id }) => span_id)).toEqual(['a', 'b', 'c']);
  });

  it('removes control characters from names, and shortens long ones', () => {
    const named = { ...span('a', null, 0, 1), name: `\u001b[31m\n${'x'.repeat(100)}` };
    const tree = treeOf({ duration_ns: MS, spans: [named] });
    expect(tree).not.toContain('\u001b');
    expect(tree).toContain(`${'x'.repeat(54)}…`);
  });
});

describe('the usage of a trace', () => {
  const none = { models: [], input_tokens: null, output_tokens: null, total_tokens: null, cost: null };

  it.each([
    [
      { models: ['a', 'b\u001b'], input_tokens: 1000, output_tokens: 5, total_tokens: 1005, cost: 0.010512345 },
      '1,005 tokens · 1,000 input · 5 output · cost 0.01051 · a, b',
    ],
    [{ ...none, cost: 5e-9 }, 'cost 0.000000005'],
    [{ ...none, total_tokens: 0, cost: 0 }, '0 tokens · cost 0'],
    // As the client reads a number beyond 2^53.
    [{ ...none, input_tokens: 9_007_199_254_740_993n as unknown as number }, '9,007,199,254,740,993 input'],
    [none, undefined],
  ])('of %j is one line', (usage, line) => {
    expect(usageLine(usage)).toBe(line);
  });
});

describe('a duration', () => {
  it.each([
    [0, '0 ns'],
    [999, '999 ns'],
    [1500, '1.50 µs'],
    [12_345_678, '12.3 ms'],
    [1_000_000_000, '1 s'],
    [90_000_000_000, '1.50 min'],
    [7_200_000_000_000, '2 h'],
  ])('of %d ns is %s', (nanoseconds, text) => {
    expect(durationText(nanoseconds)).toBe(text);
  });
});
