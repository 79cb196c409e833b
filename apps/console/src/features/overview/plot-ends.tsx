import { Button } from '../../ui/button';
import { endsOf, moveEnd, type End, type Selection } from './plot-selection';

interface PlotEndsProps {
  readonly buckets: readonly { readonly at: string }[];
  readonly selection: Selection | null;
  readonly onSelect: (selection: Selection | null) => void;
  /** The selection is complete. */
  readonly onSelected: (selection: Selection) => void;
}

const ENDS: readonly { readonly end: End; readonly label: string }[] = [
  { end: 'first', label: 'Start of the selected period' },
  { end: 'last', label: 'End of the selected period' },
];

/** The ends of a selection, for who has no mouse: the arrow keys move them, Enter takes what is between them. */
export function PlotEnds({ buckets, selection, onSelect, onSelected }: PlotEndsProps) {
  const count = buckets.length;
  const ends = endsOf(selection, buckets);
  const onKey = (end: End, key: string): boolean => {
    if (key === 'Escape' && selection !== null) onSelect(null);
    else if (key === 'Enter' && selection !== null) onSelected(selection);
    else {
      const next = moveEnd(selection, end, key, buckets);
      if (next !== null) onSelect(next);
      return next !== null;
    }
    return true;
  };
  return (
    <div className="flex flex-wrap items-center gap-2">
      {/* As wide as the plot between its axes. */}
      <div className="relative mr-[72px] ml-[52px] h-4 min-w-0 basis-full rounded-sm border border-edge bg-surface">
        <span
          className="absolute h-full bg-accent/20"
          style={{ left: shareOf(ends.first, count), right: shareOf(count - 1 - ends.last, count) }}
        />
        {ENDS.map(({ end, label }) => (
          <span
            key={end}
            // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- two ends of one strip, which an input cannot be
            role="slider"
            tabIndex={0}
            aria-label={label}
            aria-valuemin={0}
            aria-valuemax={Math.max(count - 1, 0)}
            aria-valuenow={ends[end]}
            aria-valuetext={new Date(buckets[ends[end]]?.at ?? '').toLocaleString()}
            className="absolute h-full w-2 bg-accent"
            style={
              end === 'first' ? { left: shareOf(ends.first, count) } : { right: shareOf(count - 1 - ends.last, count) }
            }
            onKeyDown={(event) => {
              if (!onKey(end, event.key)) return;
              event.preventDefault();
              event.stopPropagation();
            }}
          />
        ))}
      </div>
      {selection !== null && <Button onClick={() => onSelected(selection)}>Show the selected period</Button>}
    </div>
  );
}

function shareOf(bars: number, count: number): string {
  return `${(bars / Math.max(count, 1)) * 100}%`;
}
