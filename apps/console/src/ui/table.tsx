import type { ReactNode } from 'react';

interface TableProps {
  readonly columns: readonly string[];
  /** Those of the columns that contain numbers, which stand at the right. */
  readonly numbers?: readonly string[];
  /** The rows. */
  readonly children: ReactNode;
}

/** A table that scrolls sideways where the page is narrow. */
export function Table({ columns, numbers, children }: TableProps) {
  return (
    <div className="overflow-x-auto rounded-md border border-hairline bg-surface">
      <table className="w-full border-collapse text-left">
        <thead>
          <tr className="border-b border-hairline text-sm text-quiet">
            {columns.map((column) => (
              <th
                key={column}
                scope="col"
                className={`px-3 py-2 font-semibold ${numbers?.includes(column) === true ? 'text-right' : ''}`}
              >
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
