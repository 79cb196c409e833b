import { conflict, invalid, type DomainError } from '@app/kernel';
import type { FieldDef } from 'pg';

/**
 * The upper bound on the rows of one page, in bytes as PostgreSQL stores them uncompressed. Each connection of the pool
 * can read one page at a time: 128 MiB of rows with 16 connections. JSON of nested `{}` needs the most memory when it
 * is parsed: 40 clients that read such pages concurrently used half a gigabyte, which fits into the default heap.
 */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;

export type MeasuredPage<Row> = Row & {
  readonly page_rows: number;
  readonly page_fits: boolean;
};

/** `typlen` of types with values of variable length. */
const VARIABLE_LENGTH = -1;

/**
 * Returns the statement with two additional columns: the number of its rows, and whether they fit into the bound. If
 * they do not fit, all other columns are null. The result always has at least one row, so that an empty page differs
 * from one that is too large.
 */
export function withPageBound(text: string, columns: readonly FieldDef[]): string {
  const sizes = columns.filter(({ dataTypeSize }) => dataTypeSize === VARIABLE_LENGTH).map(({ name }) => sizeOf(name));
  return `WITH listed AS MATERIALIZED (${text}), measured AS (
      SELECT count(*)::int AS page_rows, coalesce(sum(${['0', ...sizes].join(' + ')}), 0) <= ${MAX_PAGE_BYTES} AS page_fits
      FROM listed
    )
    SELECT * FROM measured LEFT JOIN listed ON page_fits`;
}

/**
 * For an uncompressed value, the stored size is exact and the value is not read. A compressed text stores its length. Values
 * of other compressed types are decompressed one at a time.
 */
function sizeOf(column: string): string {
  const name = `listed."${column}"`;
  const size = `CASE WHEN pg_column_compression(${name}) IS NULL THEN pg_column_size(${name})
    ELSE octet_length(${name}::text) END`;
  return `coalesce(${size}, 0)::bigint`;
}

const BOUND = `${MAX_PAGE_BYTES / 1024 / 1024} MiB`;

/** `what` is a plural, such as "The agents of the team". */
export function setTooLarge(what: string): DomainError {
  return conflict('related_data_too_large', `${what} exceed ${BOUND} together`);
}

export function pageTooLarge(): DomainError {
  return invalid([
    {
      path: ['limit'],
      msg: `The page would exceed ${BOUND}; request fewer items with \`limit\``,
      type: 'value_error',
    },
  ]);
}
