import { useInfiniteQuery, useQueryClient, type QueryClient, type UseInfiniteQueryResult } from '@tanstack/react-query';
import { useRef } from 'react';
import { startOf, withoutGap, type PageStart, type pagedQuery, type Pages } from './keyset';

type ListOptions<Row> = ReturnType<typeof pagedQuery<Row>>;

/** A list that is read page by page. */
export interface List<Row> {
  readonly query: UseInfiniteQueryResult<Pages<Row>>;
  /** The rows that are in memory. */
  readonly items: readonly Row[];
  /** How many rows of the list precede them. */
  readonly offset: number;
  /** Reads rows before those in memory, until the one at `index` is there. Absent: there are none. */
  readonly readBefore: Read<Row, [index: number]> | undefined;
  /** Reads the page after those in memory. Absent: there is none. */
  readonly readAfter: Read<Row, []> | undefined;
}

/** Resolves to the rows that are in memory then. */
export type Read<Row, Arguments extends readonly unknown[]> = (...given: Arguments) => Promise<readonly Row[]>;

export function useList<Row>(options: ListOptions<Row>): List<Row> {
  const query = useInfiniteQuery(options);
  const queries = useQueryClient();
  const isReading = useRef(false);
  const { data, hasNextPage, hasPreviousPage, fetchNextPage, fetchPreviousPage } = query;
  const first = data?.pageParams[0];
  const once = async (read: () => Promise<Pages<Row> | undefined>): Promise<readonly Row[]> => {
    if (isReading.current) return itemsOf(data);
    isReading.current = true;
    return itemsOf(await read().finally(() => (isReading.current = false)));
  };
  const readBefore = (index: number): Promise<readonly Row[]> =>
    once(async () => {
      const start = first === undefined ? undefined : startOf(index, first);
      if (start !== undefined && start !== first?.before) {
        const pages = await jump(queries, options, start);
        if (pages !== undefined) return pages;
      }
      return joined(queries, options, (await fetchPreviousPage()).data);
    });
  return {
    query,
    items: itemsOf(data),
    offset: first?.offset ?? 0,
    readBefore: hasPreviousPage ? readBefore : undefined,
    readAfter: hasNextPage ? () => once(async () => (await fetchNextPage()).data) : undefined,
  };
}

/** Leaves only the first page in memory if the others do not follow it. */
function joined<Row>(
  queries: QueryClient,
  { queryKey }: ListOptions<Row>,
  data: Pages<Row> | undefined,
): Pages<Row> | undefined {
  const pages = data === undefined ? undefined : withoutGap(data);
  return pages === data ? data : queries.setQueryData<Pages<Row>>(queryKey, pages);
}

/** Replaces what is in memory by one page. Resolves to undefined if that page cannot be read. */
async function jump<Row>(
  queries: QueryClient,
  { queryKey, readPage }: ListOptions<Row>,
  start: PageStart,
): Promise<Pages<Row> | undefined> {
  try {
    const page = await readPage(start.cursor, new AbortController().signal);
    await queries.cancelQueries({ queryKey });
    return queries.setQueryData<Pages<Row>>(queryKey, { pages: [page], pageParams: [start] });
  } catch {
    return undefined;
  }
}

function itemsOf<Row>(data: Pages<Row> | undefined): readonly Row[] {
  return data?.pages.flatMap(({ rows }) => rows) ?? [];
}
