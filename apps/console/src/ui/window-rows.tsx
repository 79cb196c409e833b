import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';

/** As many rows exist as they are, so that browsers find their text; more only near what is seen. */
const MOST_AT_ONCE = 200;
const USUAL_HEIGHT = 41;

/** What a row passes to its `tr`, so that it is measured. */
export interface RowPlace {
  readonly ref?: (row: HTMLTableRowElement | null) => void;
  readonly 'data-index'?: number;
}

interface WindowRowsProps<Item> {
  readonly items: readonly Item[];
  readonly children: (item: Item, place: RowPlace) => ReactNode;
}

/** Rows of a table that scrolls with the page. However many there are, the page has few. */
export function WindowRows<Item>({ items, children }: WindowRowsProps<Item>) {
  if (items.length <= MOST_AT_ONCE) return items.map((item) => children(item, {}));
  return <SeenRows items={items}>{children}</SeenRows>;
}

function SeenRows<Item>({ items, children }: WindowRowsProps<Item>) {
  const top = useRef<HTMLTableRowElement>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  useLayoutEffect(() => {
    if (top.current !== null) setScrollMargin(top.current.getBoundingClientRect().top + window.scrollY);
  }, []);
  // oxlint-disable-next-line react/incompatible-library -- only the React Compiler minds, which is not in use
  const rows = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => USUAL_HEIGHT,
    overscan: 20,
    scrollMargin,
  });
  const seen = rows.getVirtualItems();
  return (
    <>
      <tr ref={top} aria-hidden style={{ height: (seen[0]?.start ?? scrollMargin) - scrollMargin }} />
      {seen.map(({ index }) => {
        const item = items[index];
        return item === undefined ? null : children(item, { ref: rows.measureElement, 'data-index': index });
      })}
      <tr aria-hidden style={{ height: rows.getTotalSize() - ((seen.at(-1)?.end ?? scrollMargin) - scrollMargin) }} />
    </>
  );
}
