import { barOf, type Axis } from './axis';
import type { OutlinedSpan } from './traces.queries';
import { nanosecondsText, type Waterfall } from './waterfall';

/** In pixels. All rows have it, so that which ones can be seen is known without measuring. */
export const SPAN_ROW_HEIGHT = 26;

/** Spans deeper than that are not moved further to the right. */
const DEEPEST_INDENT = 12;
const INDENT_PX = 14;

const COLORS: Readonly<Record<OutlinedSpan['category'], string>> = {
  queue: 'bg-edge',
  lease: 'bg-quiet',
  model: 'bg-accent',
  tool: 'bg-waiting',
  step: 'bg-success',
  http: 'bg-warning',
  other: 'bg-edge',
};

interface SpanRowProps {
  readonly waterfall: Waterfall;
  readonly index: number;
  readonly row: number;
  readonly axis: Axis;
  readonly isSelected: boolean;
  readonly isFolded: boolean;
  readonly onSelect: (spanId: string) => void;
  readonly onFold: (spanId: string, isFolded: boolean) => void;
}

/** A span: its name at its depth, its bar in the window, and how long it lasted. */
export function SpanRow(props: SpanRowProps) {
  const { waterfall, index, row, axis, isSelected, isFolded, onSelect, onFold } = props;
  const span = waterfall.spans[index];
  if (span === undefined) return null;
  const depth = waterfall.depths[index] ?? 0;
  const hasChildren = (waterfall.ends[index] ?? 0) > index + 1;
  const isFailed = span.status_code === 'ERROR';
  const bar = barOf(waterfall, span, axis);
  return (
    <tr
      aria-level={depth + 1}
      aria-rowindex={row + 1}
      aria-selected={isSelected}
      aria-expanded={hasChildren ? !isFolded : undefined}
      className="h-[26px] cursor-pointer aria-selected:bg-sunken"
      onClick={() => onSelect(span.span_id)}
    >
      <td className="truncate px-1" title={[span.name, span.service_name].filter(Boolean).join(' · ')}>
        <span className="inline-block" style={{ width: Math.min(depth, DEEPEST_INDENT) * INDENT_PX }} />
        {hasChildren ? (
          <button
            type="button"
            tabIndex={-1}
            aria-label={`${isFolded ? 'Unfold' : 'Fold'} ${span.name}`}
            className="w-6"
            onClick={(event) => {
              event.stopPropagation();
              onFold(span.span_id, !isFolded);
            }}
          >
            {isFolded ? '▸' : '▾'}
          </button>
        ) : (
          <span className="inline-block w-6" />
        )}
        {isFailed && <span className="text-danger">✕ </span>}
        {isFolded && waterfall.hidesErrors[index] === true && <span className="text-danger">(✕ below) </span>}
        <span>{span.name}</span>
      </td>
      <td className="px-0">
        <div className="relative h-4">
          <FoldedTime axis={axis} />
          {bar !== null && (
            <span
              className={`absolute h-full rounded-sm ${isFailed ? 'bg-danger' : COLORS[span.category]}`}
              style={{ left: `${bar.left}%`, width: `${bar.width}%` }}
            />
          )}
        </div>
      </td>
      <td className="px-3 text-right whitespace-nowrap">{nanosecondsText(span.duration_ns)}</td>
    </tr>
  );
}

/** Marks where idle time is folded. */
export function FoldedTime({ axis }: { readonly axis: Axis }) {
  return axis
    .filter(({ isFolded }) => isFolded)
    .map(({ from, left, right }) => (
      <span
        key={from}
        className="absolute inset-y-0 border-x border-dashed border-edge bg-sunken"
        style={{ left: `${left}%`, width: `${right - left}%` }}
      />
    ));
}
