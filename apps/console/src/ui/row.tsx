import { Children, type ReactNode } from 'react';
import type { RowPlace } from './window-rows';

interface RowProps {
  /** What the row is about. */
  readonly head: ReactNode;
  readonly cells: readonly ReactNode[];
  /** Where it is, if it is one of many. */
  readonly place?: RowPlace;
}

/** A row of a table. Cells keep their places. */
export function Row({ head, cells, place }: RowProps) {
  return (
    <tr {...place} className="border-b border-hairline align-top last:border-0">
      <th scope="row" className="px-3 py-2 font-semibold break-words">
        {head}
      </th>
      {Children.map(cells, (cell) => (
        <td className="px-3 py-2 break-words">{cell}</td>
      ))}
    </tr>
  );
}
