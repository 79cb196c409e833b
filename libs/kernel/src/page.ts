/** A window on a list: `skip` rows are passed over, at most `limit` are answered. */
export interface Page {
  readonly skip: number;
  readonly limit: number;
}

/** One window of a list, with the number of rows the whole list has. */
export interface Listed<T> {
  readonly items: readonly T[];
  readonly total: number;
}
