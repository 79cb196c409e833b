import { describe, expect, it } from '@jest/globals';
import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query';
import { isFirstPageOnly, pagedQuery, startOf, withoutGap, type PageStart, type Pages } from './keyset';

/** A list of numbers, two on a page; the cursor of a page is its first number. */
const numbers = pagedQuery<number>(['numbers'], async (cursor) => {
  const first = Number(cursor ?? 0);
  return { rows: [first, first + 1], next: String(first + 2) };
});

async function read(pages: number) {
  const observer = new InfiniteQueryObserver(new QueryClient(), numbers);
  await observer.refetch();
  for (let page = 1; page < pages; page += 1) await observer.fetchNextPage();
  return observer;
}

const rowsOf = ({ data }: ReturnType<Awaited<ReturnType<typeof read>>['getCurrentResult']>): number[] =>
  data?.pages.flatMap(({ rows }) => rows) ?? [];

describe('a list that is read page by page', () => {
  it('has 40 pages in memory, and says where they begin', async () => {
    const observer = await read(45);
    const { data } = observer.getCurrentResult();
    expect(data?.pages).toHaveLength(40);
    expect(data?.pageParams[0]).toMatchObject({ cursor: '10', offset: 10 });
    expect(rowsOf(observer.getCurrentResult())).toEqual(Array.from({ length: 80 }, (_row, index) => index + 10));
  });

  it('reads the pages that it dropped again, and drops those at the other end', async () => {
    const observer = await read(45);
    for (let page = 0; page < 5; page += 1) await observer.fetchPreviousPage();
    const result = observer.getCurrentResult();
    expect(rowsOf(result)).toEqual(Array.from({ length: 80 }, (_row, index) => index));
    expect([result.hasPreviousPage, result.hasNextPage]).toEqual([false, true]);
  });

  it('is read again from where it begins in memory', async () => {
    const observer = await read(42);
    await observer.refetch();
    expect(rowsOf(observer.getCurrentResult()).at(0)).toBe(4);
  });

  it('finds the page of each row that precedes those in memory', async () => {
    const observer = await read(45);
    const start = observer.getCurrentResult().data?.pageParams[0] as PageStart;
    expect([0, 1, 2, 7, 9].map((index) => startOf(index, start).offset)).toEqual([0, 0, 2, 6, 8]);
  });

  it('goes on from a page that was read again only if the others still follow it', async () => {
    const observer = await read(45);
    const { data } = await observer.fetchPreviousPage();
    const pages = data as Pages<number>;
    expect(withoutGap(pages)).toBe(pages);
    const [page, ...others] = pages.pages;
    // Two rows are new, or left the list: the page ends before the next one begins, or after it.
    for (const next of ['9', '12', null]) {
      const changed = { rows: page?.rows ?? [], next };
      const left = withoutGap({ ...pages, pages: [changed, ...others] });
      expect(left).toEqual({ pages: [changed], pageParams: pages.pageParams.slice(0, 1) });
    }
  });

  it('has no gap in a single page', async () => {
    const { data } = (await read(1)).getCurrentResult();
    expect(withoutGap(data as Pages<number>)).toBe(data);
  });

  it('tells its first page from a later one that is alone in memory', async () => {
    const [one, two] = await Promise.all([read(1), read(2)]);
    const pages = two.getCurrentResult().data as Pages<number>;
    expect(isFirstPageOnly(one.getCurrentResult().data as Pages<number>)).toBe(true);
    expect(isFirstPageOnly(pages)).toBe(false);
    expect(isFirstPageOnly({ pages: pages.pages.slice(1), pageParams: pages.pageParams.slice(1) })).toBe(false);
  });
});
