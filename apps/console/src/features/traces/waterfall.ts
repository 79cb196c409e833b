import type { OutlinedSpan } from './traces.queries';

/** What the rows of a trace are drawn from. Spans stand in the order of the outline: each is followed by its children. */
export interface Waterfall {
  readonly spans: readonly OutlinedSpan[];
  /** How deep each span is, from 0. */
  readonly depths: readonly number[];
  /** For each span, the index after the last one below it. */
  readonly ends: readonly number[];
  /** Whether a span below it failed. */
  readonly hidesErrors: readonly boolean[];
  /** End of the last span in nanoseconds since the start of the trace; an open span lasts until then. */
  readonly lastNs: number;
}

/** A part of the time of a trace, in nanoseconds since its start. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

const SMALLEST_WINDOW_NS = 1000;

export function waterfallOf(spans: readonly OutlinedSpan[]): Waterfall {
  const depthById = new Map<string, number>();
  const depths = spans.map(({ span_id, parent_span_id }) => {
    const depth = parent_span_id === null ? 0 : (depthById.get(parent_span_id) ?? -1) + 1;
    depthById.set(span_id, depth);
    return depth;
  });
  const ends = spans.map((_span, index) => index + 1);
  const hidesErrors = spans.map(() => false);
  // From the end, so that what is below a span is known when it is reached.
  for (let index = spans.length - 1; index >= 0; index -= 1) {
    let next = index + 1;
    while (next < spans.length && (depths[next] ?? 0) > (depths[index] ?? 0)) {
      if (spans[next]?.status_code === 'ERROR' || hidesErrors[next] === true) hidesErrors[index] = true;
      next = ends[next] ?? next + 1;
    }
    ends[index] = next;
  }
  const lastNs = spans.reduce((last, { offset_ns, duration_ns }) => Math.max(last, offset_ns + (duration_ns ?? 0)), 1);
  return { spans, depths, ends, hidesErrors, lastNs };
}

/** Returns the indexes of the spans that are shown: those below a folded one are not. */
export function shownSpans({ spans, ends }: Waterfall, folded: ReadonlySet<string>): number[] {
  const shown: number[] = [];
  let index = 0;
  while (index < spans.length) {
    shown.push(index);
    const span = spans[index];
    index = span !== undefined && folded.has(span.span_id) ? (ends[index] ?? index + 1) : index + 1;
  }
  return shown;
}

/** Returns a window of `factor` times the width about a time, inside the trace. */
export function zoomed({ lastNs }: Waterfall, { from, to }: TimeWindow, about: number, factor: number): TimeWindow {
  const width = Math.min(lastNs, Math.max(SMALLEST_WINDOW_NS, (to - from) * factor));
  const share = (about - from) / (to - from);
  const start = Math.min(Math.max(0, about - width * Math.min(1, Math.max(0, share))), lastNs - width);
  return { from: Math.max(0, start), to: Math.max(0, start) + width };
}

/** Returns the index of the next span with an error after an index, around the end; undefined if there is none. */
export function nextError({ spans }: Waterfall, after: number, step: 1 | -1): number | undefined {
  for (let count = 1; count <= spans.length; count += 1) {
    const index = (((after + step * count) % spans.length) + spans.length) % spans.length;
    if (spans[index]?.status_code === 'ERROR') return index;
  }
  return undefined;
}

/** Returns the ids of the spans above one. */
export function above({ spans, ends }: Waterfall, index: number): string[] {
  return spans.slice(0, index).flatMap(({ span_id }, at) => ((ends[at] ?? 0) > index ? [span_id] : []));
}

/** Returns a duration in the unit that suits it. */
export function nanosecondsText(ns: number | null): string {
  if (ns === null) return 'open';
  if (ns < 1e3) return `${ns} ns`;
  // What would be rounded to 1000 is one of the larger unit.
  if (ns < 999_950) return `${(ns / 1e3).toFixed(1)} µs`;
  if (ns < 999_950_000) return `${(ns / 1e6).toFixed(1)} ms`;
  return ns < 120e9 ? `${(ns / 1e9).toFixed(2)} s` : `${(ns / 60e9).toFixed(1)} min`;
}
