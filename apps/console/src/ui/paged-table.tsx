import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { KeysetPage } from '../api/keyset';
import { Button } from './button';
import { FailurePanel } from './failure-panel';
import { Skeleton } from './skeleton';
import { Table } from './table';
import { WindowRows, type RowPlace } from './window-rows';

interface PagedTableProps<Row> {
  readonly query: UseInfiniteQueryResult<InfiniteData<KeysetPage<Row>>>;
  /** What the rows are, in the plural. */
  readonly many: string;
  readonly columns: readonly string[];
  /** Stands there when there is no row. */
  readonly empty: ReactNode;
  readonly children: (row: Row, place: RowPlace) => ReactNode;
}

/** A list that is read page by page. What was read before stays when a request fails. */
export function PagedTable<Row>({ query, many, columns, empty, children }: PagedTableProps<Row>) {
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query;
  if (isPending) return <Skeleton rows={6} label={`Loading the ${many}`} />;
  if (data === undefined) return <FailurePanel error={error} onRetry={() => void refetch()} />;
  const rows = data.pages.flatMap((page) => page.rows);
  if (rows.length === 0) return <p>{empty}</p>;
  return (
    <>
      {error !== null && <FailurePanel error={error} onRetry={() => void refetch()} />}
      <Table columns={columns}>
        <WindowRows items={rows}>{children}</WindowRows>
      </Table>
      {hasNextPage && (
        <Button isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Older {many}
        </Button>
      )}
    </>
  );
}
