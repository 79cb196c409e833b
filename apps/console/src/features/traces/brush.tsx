import { useState, type PointerEvent } from 'react';
import { brushed, moved, type Edge } from './axis';
import { nanosecondsText, type TimeWindow, type Waterfall } from './waterfall';

interface BrushProps {
  readonly waterfall: Waterfall;
  readonly window: TimeWindow;
  readonly idle: readonly TimeWindow[];
  readonly onWindow: (window: TimeWindow) => void;
}

interface Drag {
  readonly from: number;
  readonly to: number;
}

const EDGES: readonly { readonly edge: Edge; readonly label: string }[] = [
  { edge: 'from', label: 'Start of what is shown' },
  { edge: 'to', label: 'End of what is shown' },
];

/** Shorter idle periods are not marked: a long trace can have thousands. */
const SMALLEST_SHOWN_SHARE = 0.01;

/**
 * The whole trace in a strip, with the part that is shown below: dragging over it shows another one, and the arrow keys
 * move its edges.
 */
export function Brush({ waterfall, window, idle, onWindow }: BrushProps) {
  const [drag, setDrag] = useState<Drag | null>(null);
  const { lastNs } = waterfall;
  const shown = (drag === null ? null : brushed(waterfall, drag.from, drag.to)) ?? window;
  const end = (): void => {
    const next = drag === null ? null : brushed(waterfall, drag.from, drag.to);
    setDrag(null);
    if (next !== null) onWindow(next);
  };
  return (
    <div
      data-testid="brush"
      className="relative h-6 cursor-crosshair touch-none overflow-hidden rounded-sm border border-edge bg-surface"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        const at = shareOf(event);
        setDrag({ from: at, to: at });
      }}
      onPointerMove={(event) => {
        if (drag !== null) setDrag({ ...drag, to: shareOf(event) });
      }}
      onPointerUp={end}
      onPointerCancel={() => setDrag(null)}
    >
      {idle
        .filter(({ from, to }) => (to - from) / lastNs > SMALLEST_SHOWN_SHARE)
        .map((period) => (
          <span key={period.from} className="absolute h-full bg-sunken" style={partOf(period, lastNs)} />
        ))}
      <span className="absolute h-full border-x-2 border-accent bg-accent/20" style={partOf(shown, lastNs)} />
      {EDGES.map(({ edge, label }) => (
        <span
          key={edge}
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- two edges of one strip, which an input cannot be
          role="slider"
          tabIndex={0}
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round((shown[edge] / lastNs) * 100)}
          aria-valuetext={nanosecondsText(Math.round(shown[edge]))}
          className={`absolute h-full w-2 bg-accent ${edge === 'to' ? '-translate-x-full' : ''}`}
          style={{ left: `${(shown[edge] / lastNs) * 100}%` }}
          onKeyDown={(event) => {
            const next = moved(waterfall, window, edge, event.key);
            if (next === null) return;
            event.preventDefault();
            onWindow(next);
          }}
        />
      ))}
    </div>
  );
}

/** Returns where in the strip the pointer is, from 0 to 1. */
function shareOf({ currentTarget, clientX }: PointerEvent): number {
  const { left, width } = currentTarget.getBoundingClientRect();
  return (clientX - left) / width;
}

function partOf({ from, to }: TimeWindow, lastNs: number) {
  return { left: `${(from / lastNs) * 100}%`, width: `${((to - from) / lastNs) * 100}%` };
}
