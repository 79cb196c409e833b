import { decodeCursor, encodeCursor } from './cursor.js';

/** The filter of lists of resources with names that have no other filter. */
export interface NameFilter {
  /** The whole name. */
  readonly name?: string;
}

/** A window on a list: it begins after `skip` rows, or after the row of a cursor, and has at most `limit` rows. */
export interface Page {
  readonly skip: number;
  readonly limit: number;
  /** The `nextCursor` of the previous page. With a cursor, `skip` is 0. */
  readonly cursor?: string;
  /** Whether the whole list is counted. Default true. */
  readonly total?: boolean;
}

/** The rows of one page. */
export interface PageResult<T> {
  readonly items: readonly T[];
  /** The number of rows in the whole list; undefined if it was not counted. */
  readonly total: number | undefined;
  /** Continues the list after this page; undefined at its end. */
  readonly nextCursor: string | undefined;
}

/**
 * Returns one page of a list in memory. `rows` must be in ascending order of `keyOf`, without equal keys. `list`
 * identifies the list among all lists, with its filters and its organization if it has any.
 */
export function pageOf<T>(
  rows: readonly T[],
  { skip, limit, cursor, total = true }: Page,
  list: string,
  keyOf: (row: T) => string,
): PageResult<T> {
  const [after] = cursor === undefined ? [] : decodeCursor(cursor, list, 1);
  const rest = after == null ? rows.slice(skip) : rows.filter((row) => keyOf(row) > after);
  const items = rest.slice(0, limit);
  const last = rest.length > limit ? items.at(-1) : undefined;
  return {
    items,
    total: total ? rows.length : undefined,
    nextCursor: last === undefined ? undefined : encodeCursor(list, [keyOf(last)]),
  };
}
