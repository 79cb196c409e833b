import type { ReactNode } from 'react';
import type { List } from '../api/list';
import { FailurePanel } from './failure-panel';
import { ListEnds } from './list-ends';
import { Skeleton } from './skeleton';
import { Table } from './table';
import { WindowRows, type RowPlace } from './window-rows';

interface PagedTableProps<Row> {
  readonly list: List<Row>;
  /** What the rows are, in the plural. */
  readonly many: string;
  readonly columns: readonly string[];
  /** Stands there when there is no row. */
  readonly empty: ReactNode;
  /** Where a row leads to, below the address of the console. */
  readonly addressOf?: ((row: Row) => string) | undefined;
  readonly children: (row: Row, place: RowPlace) => ReactNode;
}

/** A list that is read page by page. What was read before stays when a request fails. */
export function PagedTable<Row>({ list, many, columns, empty, addressOf, children }: PagedTableProps<Row>) {
  const { query, items } = list;
  const { data, error, isPending, refetch } = query;
  if (isPending) return <Skeleton rows={6} label={`Loading the ${many}`} />;
  if (data === undefined) return <FailurePanel error={error} onRetry={() => void refetch()} />;
  if (items.length === 0) return <p>{empty}</p>;
  return (
    <>
      {error !== null && <FailurePanel error={error} onRetry={() => void refetch()} />}
      <Table columns={columns}>
        <WindowRows {...list} addressOf={addressOf}>
          {children}
        </WindowRows>
      </Table>
      <ListEnds list={list} many={many} />
    </>
  );
}
