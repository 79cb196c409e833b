import { Table } from '../../ui/table';
import { WindowRows } from '../../ui/window-rows';
import { nanosecondsText, type Waterfall } from './waterfall';

interface SpanTableProps {
  readonly waterfall: Waterfall;
  readonly selected: string | null;
  readonly onSelect: (spanId: string) => void;
}

const COLUMNS = ['Span', 'Level', 'Service', 'Measures', 'Status', 'Starts after', 'Duration'];
const NUMBERS = ['Level', 'Starts after', 'Duration'];

/** What the waterfall draws, in words and figures. */
export function SpanTable({ waterfall, selected, onSelect }: SpanTableProps) {
  const rows = waterfall.spans.map((span, index) => ({ span, level: (waterfall.depths[index] ?? 0) + 1 }));
  return (
    <Table columns={COLUMNS} numbers={NUMBERS}>
      <WindowRows items={rows}>
        {({ span, level }, place) => (
          <tr key={span.span_id} {...place} className="border-b border-hairline last:border-0">
            <th scope="row" className="px-3 py-1 font-normal">
              <button
                type="button"
                aria-pressed={span.span_id === selected}
                className="text-left text-accent underline aria-pressed:font-semibold"
                onClick={() => onSelect(span.span_id)}
              >
                {span.name}
              </button>
            </th>
            <td className="px-3 py-1 text-right">{level}</td>
            <td className="px-3 py-1">{span.service_name}</td>
            <td className="px-3 py-1">{span.category}</td>
            <td className="px-3 py-1">{span.status_code}</td>
            <td className="px-3 py-1 text-right whitespace-nowrap">{nanosecondsText(span.offset_ns)}</td>
            <td className="px-3 py-1 text-right whitespace-nowrap">{nanosecondsText(span.duration_ns)}</td>
          </tr>
        )}
      </WindowRows>
    </Table>
  );
}
