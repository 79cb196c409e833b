import { unwrapWithHeaders, type Call } from '@app/api-client';
import { infiniteQueryOptions, type InfiniteData } from '@tanstack/react-query';

/** A page of a list whose next page is named by a header. */
export interface KeysetPage<Row> {
  readonly rows: readonly Row[];
  /** Null on the last page. */
  readonly next: string | null;
}

/** Parameters of a page, as the lists of the API take them. Nothing is counted: that costs more than the page. */
export interface PageQuery {
  readonly limit: number;
  readonly total: false;
  readonly cursor?: string;
}

const PAGE_SIZE = 50;

/** Returns the query of a list that is read page by page. `call` requests one page. */
export function keysetQuery<Row>(
  key: readonly unknown[],
  call: (query: PageQuery, signal: AbortSignal) => Call<Row[]>,
) {
  return infiniteQueryOptions<
    KeysetPage<Row>,
    Error,
    InfiniteData<KeysetPage<Row>>,
    readonly unknown[],
    string | undefined
  >({
    queryKey: key,
    initialPageParam: undefined,
    queryFn: async ({ pageParam, signal }) => {
      const query = {
        limit: PAGE_SIZE,
        total: false,
        ...(pageParam === undefined ? {} : { cursor: pageParam }),
      } as const;
      const { data: rows, headers } = await unwrapWithHeaders(call(query, signal));
      return { rows, next: headers.get('x-next-cursor') };
    },
    getNextPageParam: ({ next }) => next ?? undefined,
  });
}
