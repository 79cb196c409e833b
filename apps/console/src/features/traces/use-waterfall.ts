import { useMemo, useState } from 'react';
import { axisOf, idlePeriods, type Axis } from './axis';
import { above, shownSpans, zoomed, type TimeWindow, type Waterfall } from './waterfall';
import { stepOf, type Step } from './waterfall-keys';

/** What of a waterfall is shown, and what a person changes about it. */
export interface WaterfallProps {
  readonly waterfall: Waterfall;
  /** Null: the whole trace. */
  readonly window: TimeWindow | null;
  readonly selected: string | null;
  readonly onSelect: (spanId: string) => void;
  readonly onWindow: (window: TimeWindow | null) => void;
  /** Whether idle time is folded. */
  readonly foldsIdle: boolean;
  readonly onFoldIdle: (folds: boolean) => void;
}

export interface WaterfallState {
  /** Indexes of the spans in the rows. */
  readonly shown: readonly number[];
  /** Row of the selected span, or -1. */
  readonly place: number;
  readonly seen: TimeWindow;
  readonly axis: Axis;
  /** Periods in which nothing works. */
  readonly idle: readonly TimeWindow[];
  readonly isFolded: (index: number) => boolean;
  readonly fold: (spanId: string, isFolded: boolean) => void;
  /** Shows a window of `factor` times the width; null: the whole trace. */
  readonly zoom: (factor: number | null) => void;
  /** Does what a key does; returns whether it does anything. */
  readonly press: (key: string) => boolean;
}

export function useWaterfall({
  waterfall,
  window,
  selected,
  onSelect,
  onWindow,
  foldsIdle,
}: WaterfallProps): WaterfallState {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const { spans, lastNs } = waterfall;
  const shown = useMemo(() => shownSpans(waterfall, folded), [waterfall, folded]);
  const { from, to } = window ?? { from: 0, to: lastNs };
  const seen = useMemo(() => ({ from, to }), [from, to]);
  const idle = useMemo(() => idlePeriods(waterfall), [waterfall]);
  const axis = useMemo(() => axisOf(seen, foldsIdle ? idle : []), [seen, foldsIdle, idle]);
  const place = shown.findIndex((index) => spans[index]?.span_id === selected);
  const fold = (spanId: string, isFolded: boolean): void =>
    setFolded((before) => new Set(isFolded ? [...before, spanId] : [...before].filter((one) => one !== spanId)));
  const zoom = (factor: number | null): void => {
    const span = spans[shown[place] ?? -1];
    const about = span === undefined ? (seen.from + seen.to) / 2 : span.offset_ns + (span.duration_ns ?? 0) / 2;
    const next = factor === null ? null : zoomed(waterfall, seen, about, factor);
    onWindow(next === null || next.to - next.from >= lastNs ? null : next);
  };
  const select = (index: number): void => {
    const hidden = new Set(above(waterfall, index));
    setFolded((before) => new Set([...before].filter((one) => !hidden.has(one))));
    onSelect(spans[index]?.span_id ?? '');
  };
  const take = (step: Step): void => {
    if (step.kind === 'zoom') zoom(step.factor);
    else if (step.kind === 'fold') fold(step.spanId, step.isFolded);
    else select(step.index);
  };
  const press = (key: string): boolean => {
    const step = stepOf(key, waterfall, shown, place, folded);
    if (step !== null) take(step);
    return step !== null;
  };
  const isFolded = (index: number): boolean => folded.has(spans[index]?.span_id ?? '');
  return { shown, place, seen, axis, idle, isFolded, fold, zoom, press };
}
