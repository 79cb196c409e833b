import { defaultRangeExtractor, useWindowVirtualizer, type Range } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { DrawnList, type RowSource } from './row-list';

/** As many rows exist as they are, so that browsers find their text; more only near what is seen. */
const MOST_AT_ONCE = 200;
const USUAL_HEIGHT = 41;
const NEAR = 20;

/** What a row passes to its `tr`, so that it is measured, and found by keys. */
export interface RowPlace {
  readonly ref: (row: HTMLTableRowElement | null) => void;
  readonly 'data-index': number;
}

interface WindowRowsProps<Item> extends RowSource<Item> {
  readonly children: (item: Item, place: RowPlace) => ReactNode;
}

interface DrawnRowsProps<Item> extends WindowRowsProps<Item> {
  readonly list: DrawnList<Item>;
}

/** Rows of a table that scrolls with the page. However many there are, the page has few. */
export function WindowRows<Item>(props: WindowRowsProps<Item>) {
  const [list] = useState(() => new DrawnList<Item>(props));
  const { items, offset = 0 } = props;
  const Rows = offset === 0 && items.length <= MOST_AT_ONCE ? AllRows : SeenRows;
  return <Rows {...props} list={list} />;
}

function AllRows<Item>({ children, list, ...source }: DrawnRowsProps<Item>) {
  useLayoutEffect(() => list.update(source, () => undefined));
  return source.items.map((item, index) => children(item, { ref: list.attach, 'data-index': index }));
}

function SeenRows<Item>({ children, list, ...source }: DrawnRowsProps<Item>) {
  const { items, offset = 0, readBefore } = source;
  const top = useRef<HTMLTableRowElement>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  useLayoutEffect(() => {
    if (top.current !== null) setScrollMargin(top.current.getBoundingClientRect().top + window.scrollY);
  }, []);
  // oxlint-disable-next-line react/incompatible-library -- only the React Compiler minds, which is not in use
  const rows = useWindowVirtualizer({
    count: offset + items.length,
    estimateSize: () => USUAL_HEIGHT,
    overscan: NEAR,
    scrollMargin,
    // The focus stays where it is, also when its row is no longer seen.
    rangeExtractor: (range) => withFocused(range, top.current),
  });
  useLayoutEffect(() => list.update(source, (index) => rows.scrollToIndex(index, { align: 'center' })));
  const { startIndex, endIndex } = rows.range ?? { startIndex: offset + NEAR, endIndex: offset + NEAR };
  const asked = useRef('');
  useEffect(() => {
    // Once for what is seen: a read that failed is repeated when somebody scrolls on.
    const asks = `${startIndex} ${offset}`;
    if (asks === asked.current) return;
    asked.current = asks;
    if (startIndex - NEAR < offset) void readBefore?.(Math.min(endIndex, offset - 1));
  });
  const { measureElement } = rows;
  const ref = useCallback(
    (row: HTMLTableRowElement | null): void => {
      measureElement(row);
      list.attach(row);
    },
    [measureElement, list],
  );
  const drawn = rows.getVirtualItems().filter(({ index }) => index >= offset);
  return (
    <>
      <tr ref={top} aria-hidden />
      {drawn.flatMap(({ index, start }, at) => {
        const item = items[index - offset];
        const height = start - (drawn[at - 1]?.end ?? scrollMargin);
        return item === undefined
          ? []
          : [
              height > 0 && <tr key={`before ${index}`} aria-hidden style={{ height }} />,
              children(item, { ref, 'data-index': index }),
            ];
      })}
      <tr aria-hidden style={{ height: rows.getTotalSize() - ((drawn.at(-1)?.end ?? scrollMargin) - scrollMargin) }} />
    </>
  );
}

function withFocused(range: Range, top: Element | null): number[] {
  const near = defaultRangeExtractor(range);
  const focused = document.activeElement?.closest<HTMLElement>('tr[data-index]');
  if (!focused || focused.parentElement !== top?.parentElement) return near;
  const index = Number(focused.dataset['index']);
  if (index >= range.count || near.includes(index)) return near;
  return [...near, index].toSorted((one, other) => one - other);
}
