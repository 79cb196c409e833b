import { Bar, CartesianGrid, ComposedChart, Legend, Line, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { durationText } from '../../ui/duration';
import type { Series } from './overview.queries';

/** Failures are hatched, so that they are not told by their color alone. */
const HATCHING = 'ended-plot-hatching';
const BARS = [
  ['completed', 'var(--color-success)'],
  ['failed', `url(#${HATCHING})`],
  ['cancelled', 'var(--color-edge)'],
  ['terminated', 'var(--color-terminated)'],
] as const;
const TICK = { fill: 'var(--color-quiet)', fontSize: 12 };
const DAY_MS = 86_400_000;
const DOT = { r: 2 };
const TOOLTIP = { background: 'var(--color-surface)', borderColor: 'var(--color-hairline)' };
/** Some colors of bars are too faint for text. */
const TOOLTIP_ITEM = { color: 'var(--color-text)' };

/** Bars of how executions ended, and a line of how long they ran. */
export function EndedPlot({ buckets }: Pick<Series, 'buckets'>) {
  const isLong = Date.parse(buckets.at(-1)?.at ?? '') - Date.parse(buckets[0]?.at ?? '') > DAY_MS;
  return (
    <div className="h-[240px] rounded-md border border-hairline bg-surface p-2">
      <ResponsiveContainer width="100%" height="100%">
        <ComposedChart data={[...buckets]} title="How executions ended over time">
          <defs>
            <pattern id={HATCHING} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <rect width="6" height="6" fill="var(--color-surface)" />
              <rect width="4" height="6" fill="var(--color-danger)" />
            </pattern>
          </defs>
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

function tickOf(at: string, isLong: boolean): string {
  const options = isLong
    ? ({ month: 'short', day: 'numeric', hour: '2-digit' } as const)
    : ({ hour: '2-digit', minute: '2-digit' } as const);
  return new Date(at).toLocaleString([], options);
}
