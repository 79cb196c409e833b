import type { OutlinedSpan } from './traces.queries';
import type { TimeWindow, Waterfall } from './waterfall';

/** A part of the axis. Places are percent of its width. */
export interface Stretch extends TimeWindow {
  readonly left: number;
  readonly right: number;
  /** Whether its time is idle and takes less room than it lasted. */
  readonly isFolded: boolean;
}

/** How time is laid out: stretches without holes, in their order. Inside each, time is even. */
export type Axis = readonly Stretch[];

/** Where a bar stands, in percent of the width of the axis. */
export interface Bar {
  readonly left: number;
  readonly width: number;
}

/** Bars stay visible however short they are. */
const SMALLEST_WIDTH = 0.2;
/** A shorter idle period of a window is left as it is. */
const SMALLEST_FOLDED_SHARE = 0.05;
/** Room of a folded period, in percent of the width. */
const FOLDED_WIDTH = 3;

/**
 * Returns the periods in which nothing works: only spans that hold the others together, which are at the top, and those
 * that measure waiting.
 */
export function idlePeriods({ spans, depths, ends, lastNs }: Waterfall): TimeWindow[] {
  const isFrame = (index: number): boolean => depths[index] === 0 && ends[index] !== index + 1;
  const busy = spans
    .filter(({ category }, index) => category !== 'queue' && !isFrame(index))
    .map(({ offset_ns: from, duration_ns }) => ({ from, to: duration_ns === null ? lastNs : from + duration_ns }))
    .toSorted((one, other) => one.from - other.from);
  const idle: TimeWindow[] = [];
  let reached = 0;
  for (const { from, to } of busy) {
    if (from > reached) idle.push({ from: reached, to: from });
    reached = Math.max(reached, to);
  }
  return reached < lastNs ? [...idle, { from: reached, to: lastNs }] : idle;
}

/** Returns the share of the time of a trace in which nothing works, from 0 to 1. */
export function idleShare(idle: readonly TimeWindow[], { lastNs }: Waterfall): number {
  return idle.reduce((sum, { from, to }) => sum + to - from, 0) / lastNs;
}

/** Lays out a window. Long periods in `folded` are narrow, so that the others have room. */
export function axisOf({ from, to }: TimeWindow, folded: readonly TimeWindow[]): Axis {
  const width = to - from;
  const bands = folded
    .map((period) => ({ from: Math.max(from, period.from), to: Math.min(to, period.to) }))
    .filter((period) => period.to - period.from > width * SMALLEST_FOLDED_SHARE);
  const open = width - bands.reduce((sum, band) => sum + band.to - band.from, 0);
  // Without any open time there is nothing to make room for.
  if (bands.length === 0 || open <= 0) return [{ from, to, left: 0, right: 100, isFolded: false }];
  const perNs = (100 - bands.length * FOLDED_WIDTH) / open;
  const axis: Stretch[] = [];
  const add = (until: number, isFolded: boolean): void => {
    const last = axis.at(-1);
    const start = last?.to ?? from;
    if (until <= start) return;
    const left = last?.right ?? 0;
    const right = isFolded ? left + FOLDED_WIDTH : left + (until - start) * perNs;
    axis.push({ from: start, to: until, left, right: Math.min(100, right), isFolded });
  };
  for (const band of bands) {
    add(band.from, false);
    add(band.to, true);
  }
  add(to, false);
  return axis;
}

/** Returns where a time is, in percent of the width; at an end, if it is outside. */
export function placeOf(axis: Axis, ns: number): number {
  const stretch = axis.find(({ to }) => ns <= to) ?? axis.at(-1);
  return stretch === undefined ? 0 : between(ns, stretch.from, stretch.to, stretch.left, stretch.right);
}

/** Returns the time at a place. */
export function timeAt(axis: Axis, place: number): number {
  const stretch = axis.find(({ right }) => place <= right) ?? axis.at(-1);
  return stretch === undefined ? 0 : between(place, stretch.left, stretch.right, stretch.from, stretch.to);
}

/** Returns the bar of a span; null if it is outside of the axis. */
export function barOf({ lastNs }: Waterfall, span: OutlinedSpan, axis: Axis): Bar | null {
  const start = span.offset_ns;
  const end = span.duration_ns === null ? lastNs : start + span.duration_ns;
  if (end < (axis[0]?.from ?? 0) || start > (axis.at(-1)?.to ?? 0)) return null;
  const left = placeOf(axis, start);
  const right = placeOf(axis, end);
  const width = Math.max(SMALLEST_WIDTH, right - left);
  return { left: Math.min(left, 100 - width), width };
}

function between(value: number, from: number, to: number, low: number, high: number): number {
  const share = to > from ? (value - from) / (to - from) : 0;
  return low + Math.min(1, Math.max(0, share)) * (high - low);
}

/** Returns the window between two shares of a trace, in any order; null if it is too narrow to be meant. */
export function brushed({ lastNs }: Waterfall, one: number, other: number): TimeWindow | null {
  const [low, high] = [Math.max(0, Math.min(one, other)), Math.min(1, Math.max(one, other))];
  return high - low < 0.005 ? null : { from: low * lastNs, to: high * lastNs };
}

/** An end of a window. */
export type Edge = keyof TimeWindow;

/** How far a key moves an edge, in shares of the trace. */
const MOVES: Readonly<Record<string, number>> = {
  ArrowRight: 0.01,
  ArrowUp: 0.01,
  ArrowLeft: -0.01,
  ArrowDown: -0.01,
  PageUp: 0.1,
  PageDown: -0.1,
  Home: -1,
  End: 1,
};

/** Returns the window after a key on one of its edges: it stays inside the trace; null if the key does not move it. */
export function moved({ lastNs }: Waterfall, window: TimeWindow, edge: Edge, key: string): TimeWindow | null {
  const move = MOVES[key];
  if (move === undefined) return null;
  const least = 0.01 * lastNs;
  const at = window[edge] + move * lastNs;
  return edge === 'from'
    ? { ...window, from: Math.max(0, Math.min(at, window.to - least)) }
    : { ...window, to: Math.min(lastNs, Math.max(at, window.from + least)) };
}
