import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { Button } from '../../ui/button';
import { FoldedTime, SpanRow, SPAN_ROW_HEIGHT } from './span-row';
import { idleShare, timeAt, type Axis as TimeAxis } from './axis';
import { Brush } from './brush';
import { useWaterfall, type WaterfallProps } from './use-waterfall';
import { nanosecondsText } from './waterfall';

const ZOOM = 2;
const MARKS = [0, 25, 50, 75];
/** From this share of idle time on, folding it is offered. */
const MUCH_IDLE = 0.6;

/** The spans of a trace as a tree, each with its bar. Only the rows that can be seen exist. */
export function WaterfallView(props: WaterfallProps) {
  const { waterfall, onSelect, onWindow, foldsIdle, onFoldIdle } = props;
  const { shown, place, seen, axis, idle, isFolded, fold, zoom, press } = useWaterfall(props);
  const scroller = useRef<HTMLDivElement>(null);
  // oxlint-disable-next-line react/incompatible-library -- only the React Compiler minds, which is not in use
  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => SPAN_ROW_HEIGHT,
    overscan: 10,
  });
  useEffect(() => {
    if (place >= 0) rows.scrollToIndex(place, { align: 'auto' });
  }, [place, rows]);
  const items = rows.getVirtualItems();
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <Tools onZoom={zoom} onNextError={() => press('e')} />
        <FoldIdle share={idleShare(idle, waterfall)} isFolded={foldsIdle} onFold={onFoldIdle} />
      </div>
      <Brush waterfall={waterfall} window={seen} idle={idle} onWindow={onWindow} />
      <div ref={scroller} className="max-h-[60vh] overflow-auto rounded-md border border-hairline bg-surface">
        <table
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role -- the pattern for a tree with columns
          role="treegrid"
          aria-label="Spans"
          aria-rowcount={shown.length}
          tabIndex={0}
          className="w-full table-fixed border-collapse text-left text-sm"
          onKeyDown={(event) => {
            if (!(event.ctrlKey || event.metaKey || event.altKey) && press(event.key)) event.preventDefault();
          }}
        >
          <Axis axis={axis} />
          <tbody>
            <Space height={items[0]?.start ?? 0} />
            {items.map(({ index: row }) => (
              <SpanRow
                key={shown[row]}
                waterfall={waterfall}
                index={shown[row] ?? 0}
                row={row}
                axis={axis}
                isSelected={row === place}
                isFolded={isFolded(shown[row] ?? 0)}
                onSelect={onSelect}
                onFold={fold}
              />
            ))}
            <Space height={rows.getTotalSize() - (items.at(-1)?.end ?? 0)} />
          </tbody>
        </table>
      </div>
    </div>
  );
}

interface ToolsProps {
  readonly onZoom: (factor: number | null) => void;
  readonly onNextError: () => void;
}

function Tools({ onZoom, onNextError }: ToolsProps) {
  return (
    <div className="flex flex-wrap gap-2">
      <Button aria-label="Zoom in" onClick={() => onZoom(1 / ZOOM)}>
        +
      </Button>
      <Button aria-label="Zoom out" onClick={() => onZoom(ZOOM)}>
        −
      </Button>
      <Button onClick={() => onZoom(null)}>Whole trace</Button>
      <Button onClick={onNextError}>Next error</Button>
      <span className="self-center text-sm text-quiet">Keys: arrows, + − 0, e and E for errors</span>
    </div>
  );
}

interface FoldIdleProps {
  /** Of the time of the trace, from 0 to 1. */
  readonly share: number;
  readonly isFolded: boolean;
  readonly onFold: (isFolded: boolean) => void;
}

/** Offers to fold idle time where there is much. A folded axis is uneven, so it is never the default. */
function FoldIdle({ share, isFolded, onFold }: FoldIdleProps) {
  if (share < MUCH_IDLE && !isFolded) return null;
  return (
    <Button
      aria-pressed={isFolded}
      className="aria-pressed:border-accent aria-pressed:bg-sunken"
      onClick={() => onFold(!isFolded)}
    >
      {Math.floor(share * 100)} % waiting · {isFolded ? 'unfold' : 'fold'}
    </Button>
  );
}

function Axis({ axis }: { readonly axis: TimeAxis }) {
  return (
    <thead>
      <tr className="border-b border-hairline text-quiet">
        <th scope="col" className="w-2/5 px-3 py-1 font-semibold">
          Span
        </th>
        <th scope="col" className="relative py-1 font-normal">
          <span className="sr-only">Time</span>
          <FoldedTime axis={axis} />
          <span aria-hidden className="relative grid grid-cols-2 md:grid-cols-4">
            {MARKS.map((share, index) => (
              // Where there is little room, every second mark.
              <span
                key={share}
                className={`border-l border-hairline pl-1 whitespace-nowrap ${index % 2 === 1 ? 'hidden md:inline' : ''}`}
              >
                {nanosecondsText(Math.round(timeAt(axis, share)))}
              </span>
            ))}
          </span>
        </th>
        <th scope="col" className="w-24 px-3 py-1 text-right font-semibold">
          Duration
        </th>
      </tr>
    </thead>
  );
}

/** Stands for the rows that cannot be seen. */
function Space({ height }: { readonly height: number }) {
  return <tr aria-hidden style={{ height }} />;
}
