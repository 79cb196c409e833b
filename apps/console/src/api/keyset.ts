import { unwrapWithHeaders, type Call } from '@app/api-client';
import { infiniteQueryOptions, type InfiniteData } from '@tanstack/react-query';

/** A page of a list that names the next one. */
export interface KeysetPage<Row> {
  readonly rows: readonly Row[];
  /** Null on the last page. */
  readonly next: string | null;
}

/**
 * Where a page begins. The API leads forward only, so each page knows the one before it: the first pages of a long list
 * are dropped, and read again when somebody scrolls back. A class, so that queries compare it as a whole.
 */
export class PageStart {
  constructor(
    /** Undefined: the list begins here. */
    readonly cursor: string | undefined,
    /** How many rows precede it in the list. */
    readonly offset: number,
    readonly before: PageStart | null,
  ) {}
}

/** Returns the start of the page with a row, going back from a later start. */
export function startOf(index: number, later: PageStart): PageStart {
  let start = later;
  while (start.before !== null && start.offset > index) start = start.before;
  return start;
}

/** The pages of a list that are in memory. */
export type Pages<Row> = InfiniteData<KeysetPage<Row>, PageStart>;

/** Tells whether only the beginning of the list is in memory. A later page can be alone there too. */
export function isFirstPageOnly({ pages, pageParams }: Pages<unknown>): boolean {
  return pages.length === 1 && pageParams[0]?.cursor === undefined;
}

/**
 * Returns the pages after one was read before them. If rows came or went meanwhile, that page does not end where the next
 * one begins: then it is alone, as rows would be missing or twice between the two.
 */
export function withoutGap<Row>(data: Pages<Row>): Pages<Row> {
  const [page, after] = data.pages;
  const [start, startAfter] = data.pageParams;
  if (page === undefined || start === undefined || after === undefined) return data;
  return page.next === startAfter?.cursor ? data : { pages: [page], pageParams: [start] };
}

/** Parameters of a page, as the lists of the API take them. Nothing is counted: that costs more than the page. */
export interface PageQuery {
  readonly limit: number;
  readonly total: false;
  readonly cursor?: string;
}

const PAGE_SIZE = 50;
/** Pages of a list that are in memory at once. */
const MOST_PAGES = 40;

/** Requests the page at a cursor: undefined is the first one. */
type ReadPage<Row> = (cursor: string | undefined, signal: AbortSignal) => Promise<KeysetPage<Row>>;

/** Returns the query of a list. */
export function pagedQuery<Row>(key: readonly unknown[], readPage: ReadPage<Row>) {
  const options = infiniteQueryOptions<KeysetPage<Row>, Error, Pages<Row>, readonly unknown[], PageStart>({
    queryKey: key,
    initialPageParam: new PageStart(undefined, 0, null),
    queryFn: ({ pageParam, signal }) => readPage(pageParam.cursor, signal),
    getNextPageParam: ({ rows, next }, _pages, start) =>
      next === null ? undefined : new PageStart(next, start.offset + rows.length, start),
    getPreviousPageParam: (_page, _pages, start) => start.before ?? undefined,
    maxPages: MOST_PAGES,
  });
  return { ...options, readPage };
}

/** Returns the query of a list whose next page is named by a header. `call` requests one page. */
export function keysetQuery<Row>(
  key: readonly unknown[],
  call: (query: PageQuery, signal: AbortSignal) => Call<Row[]>,
) {
  return pagedQuery<Row>(key, async (cursor, signal) => {
    const query = { limit: PAGE_SIZE, total: false, ...(cursor === undefined ? {} : { cursor }) } as const;
    const { data: rows, headers } = await unwrapWithHeaders(call(query, signal));
    return { rows, next: headers.get('x-next-cursor') };
  });
}
