import { invalid, type DomainError } from '@app/kernel';
import type { FieldDef } from 'pg';

/**
 * What the rows of one page may have together, in bytes as PostgreSQL holds them uncompressed. As many pages are read at
 * once as the pool has connections: with 16 of them 128 MiB of rows. Nested JSON of nothing but `{}` takes the most as
 * objects; 40 clients reading such pages at once took half a gigabyte more than none, well within the default heap.
 */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;

export type MeasuredPage<Row> = Row & {
  readonly page_rows: number;
  readonly page_fits: boolean;
};

/** The server's word for a type whose values have a length of their own. */
const VARIABLE_SIZE = -1;

/**
 * The statement with the number of its rows and whether they fit beside each row; without the rows where they do not.
 * There is always one row, so that an empty page and a refused one are told apart.
 */
export function boundedPage(text: string, columns: readonly FieldDef[]): string {
  const sizes = columns.filter(({ dataTypeSize }) => dataTypeSize === VARIABLE_SIZE).map(({ name }) => sizeOf(name));
  return `WITH listed AS MATERIALIZED (${text}), measured AS (
      SELECT count(*)::int AS page_rows, coalesce(sum(${['0', ...sizes].join(' + ')}), 0) <= ${MAX_PAGE_BYTES} AS page_fits
      FROM listed
    )
    SELECT * FROM measured LEFT JOIN listed ON page_fits`;
}

/**
 * The stored size is the value's own only where it is not compressed, and then no value is fetched. The length of a
 * compressed text is noted beside it; other types are unpacked by the server for it, one value at a time.
 */
function sizeOf(column: string): string {
  const name = `listed."${column}"`;
  const size = `CASE WHEN pg_column_compression(${name}) IS NULL THEN pg_column_size(${name})
    ELSE octet_length(${name}::text) END`;
  return `coalesce(${size}, 0)::bigint`;
}

export function pageTooLarge(): DomainError {
  const bound = `${MAX_PAGE_BYTES / 1024 / 1024} MiB`;
  return invalid([
    {
      loc: ['query', 'limit'],
      msg: `This page would hold more than ${bound}: ask for fewer items with \`limit\``,
      type: 'value_error',
    },
  ]);
}
