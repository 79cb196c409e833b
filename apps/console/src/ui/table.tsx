import { useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from 'react';

interface TableProps {
  readonly columns: readonly string[];
  /** Those of the columns that contain numbers, which stand at the right. */
  readonly numbers?: readonly string[];
  /** The rows. */
  readonly children: ReactNode;
}

/** A table that scrolls sideways where the page is narrow, also by the arrow keys. */
export function Table({ columns, numbers, children }: TableProps) {
  const box = useRef<HTMLDivElement>(null);
  const scrolls = useOverflow(box);
  return (
    <div
      ref={box}
      className="overflow-x-auto rounded-md border border-hairline bg-surface"
      {...(scrolls ? { role: 'group', 'aria-label': 'Table that scrolls sideways', tabIndex: 0 } : {})}
    >
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

/** Whether an element is narrower than what is in it. */
function useOverflow(element: RefObject<HTMLElement | null>): boolean {
  const [overflows, setOverflows] = useState(false);
  useLayoutEffect(() => {
    const box = element.current;
    if (box === null) return undefined;
    const observer = new ResizeObserver(() => setOverflows(box.scrollWidth > box.clientWidth));
    for (const one of [box, ...box.children]) observer.observe(one);
    return () => observer.disconnect();
  }, [element]);
  return overflows;
}
