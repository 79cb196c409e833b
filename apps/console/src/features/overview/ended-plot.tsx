import { useCallback, useEffect, useRef, type PointerEvent } from 'react';
import {
  Bar,
  CartesianGrid,
  ComposedChart,
  Legend,
  Line,
  ReferenceArea,
  ResponsiveContainer,
  Tooltip,
  usePlotArea,
  XAxis,
  YAxis,
} from 'recharts';
import { durationText } from '../../ui/duration';
import type { Series } from './overview.queries';
import { endsOf, selectionOf, type Selection } from './plot-selection';

/** Failures are hatched, so that they are not told by their color alone. */
const HATCHING = 'ended-plot-hatching';
const BARS = [
  ['completed', 'var(--color-success)'],
  ['failed', `url(#${HATCHING})`],
  ['cancelled', 'var(--color-edge)'],
  ['terminated', 'var(--color-terminated)'],
] as const;
/** Around the plot, in pixels: the class `p-2` with the border. */
const PADDING = 9;
const TICK = { fill: 'var(--color-quiet)', fontSize: 12 };
const DAY_MS = 86_400_000;
const DOT = { r: 2 };
const SELECTED = { fill: 'var(--color-accent)', fillOpacity: 0.2, ifOverflow: 'visible' } as const;
const TOOLTIP = { background: 'var(--color-surface)', borderColor: 'var(--color-hairline)' };
/** Some colors of bars are too faint for text. */
const TOOLTIP_ITEM = { color: 'var(--color-text)' };

interface EndedPlotProps extends Pick<Series, 'buckets'> {
  readonly selection: Selection | null;
  readonly onSelect: (selection: Selection | null) => void;
  /** The selection is complete. */
  readonly onSelected: (selection: Selection) => void;
}

/** Bars of how executions ended, and a line of how long they ran. Dragging over some selects their period. */
export function EndedPlot({ buckets, selection, onSelect, onSelected }: EndedPlotProps) {
  const { handlers, onPlot } = useDrag({ buckets, onSelect, onSelected });
  const { first, last } = endsOf(selection, buckets);
  const isLong = Date.parse(buckets.at(-1)?.at ?? '') - Date.parse(buckets[0]?.at ?? '') > DAY_MS;
  return (
    <div
      className="h-[240px] cursor-crosshair rounded-md border border-hairline bg-surface p-2 select-none"
      {...handlers}
    >
      <ResponsiveContainer width="100%" height="100%">
        <ComposedChart data={[...buckets]} title="How executions ended over time">
          <PlotArea onPlot={onPlot} />
          <Hatching />
          <CartesianGrid vertical={false} stroke="var(--color-hairline)" />
          <XAxis
            dataKey="at"
            tickFormatter={(at: string) => tickOf(at, isLong)}
            tick={TICK}
            minTickGap={40}
            stroke="var(--color-edge)"
          />
          <YAxis allowDecimals={false} width={44} tick={TICK} stroke="var(--color-edge)" />
          <YAxis
            yAxisId="time"
            orientation="right"
            width={64}
            tick={TICK}
            tickFormatter={durationText}
            stroke="var(--color-edge)"
          />
          <Tooltip
            labelFormatter={(at) => (typeof at === 'string' ? new Date(at).toLocaleString() : at)}
            formatter={(value, name) => (name === LINE_NAME ? durationText(Number(value)) : value)}
            contentStyle={TOOLTIP}
            itemStyle={TOOLTIP_ITEM}
          />
          <Legend />
          {selection !== null && <ReferenceArea {...areaOf(buckets[first]?.at, buckets[last]?.at)} {...SELECTED} />}
          {BARS.map(([name, fill]) => (
            <Bar key={name} dataKey={name} stackId="ended" fill={fill} isAnimationActive={false} />
          ))}
          <Line
            yAxisId="time"
            dataKey="run_p95_ms"
            name={LINE_NAME}
            stroke="var(--color-accent)"
            dot={DOT}
            isAnimationActive={false}
          />
        </ComposedChart>
      </ResponsiveContainer>
    </div>
  );
}

const LINE_NAME = 'run time p95';

function Hatching() {
  return (
    <defs>
      <pattern id={HATCHING} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="6" height="6" fill="var(--color-surface)" />
        <rect width="4" height="6" fill="var(--color-danger)" />
      </pattern>
    </defs>
  );
}

function areaOf(x1: string | undefined, x2: string | undefined) {
  return { ...(x1 === undefined ? {} : { x1 }), ...(x2 === undefined ? {} : { x2 }) };
}

function tickOf(at: string, isLong: boolean): string {
  const options = isLong
    ? ({ month: 'short', day: 'numeric', hour: '2-digit' } as const)
    : ({ hour: '2-digit', minute: '2-digit' } as const);
  return new Date(at).toLocaleString([], options);
}

interface Plot {
  readonly x: number;
  readonly width: number;
}

/** Tells where between the axes the bars are. */
function PlotArea({ onPlot }: { readonly onPlot: (plot: Plot) => void }) {
  const plot = usePlotArea();
  useEffect(() => {
    if (plot !== undefined) onPlot(plot);
  }, [plot, onPlot]);
  return null;
}

/**
 * Follows a drag over the bars, which ends wherever the button is released; one bar alone is no period. Fingers scroll
 * the page. The events of the plot itself come too late for that.
 */
function useDrag({ buckets, onSelect, onSelected }: Omit<EndedPlotProps, 'selection'>) {
  const plot = useRef<Plot | null>(null);
  const drag = useRef<Selection | null>(null);
  const onPlot = useCallback((next: Plot): void => {
    plot.current = next;
  }, []);
  const follow = (next: Selection | null): void => {
    drag.current = next;
    onSelect(next);
  };
  const placeOf = ({ currentTarget, clientX }: PointerEvent): number => {
    const { x, width } = plot.current ?? { x: 0, width: 1 };
    const left = currentTarget.getBoundingClientRect().left + PADDING + x;
    return Math.floor(((clientX - left) / width) * buckets.length);
  };
  const handlers = {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      const place = placeOf(event);
      if (event.pointerType === 'touch' || event.button !== 0 || place < 0 || place >= buckets.length) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      follow(selectionOf(buckets, place, place));
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (drag.current === null) return;
      const other = buckets[Math.min(Math.max(placeOf(event), 0), buckets.length - 1)]?.at;
      if (other !== undefined) follow({ ...drag.current, other });
    },
    onPointerUp: () => {
      const selected = drag.current;
      if (selected === null) return;
      follow(null);
      if (selected.one !== selected.other) onSelected(selected);
    },
    onPointerCancel: () => follow(null),
  };
  return { handlers, onPlot };
}
