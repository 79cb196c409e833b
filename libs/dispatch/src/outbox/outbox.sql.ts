/**
 * The statement that writes the rows of an `OutboxDraft`, for use as a CTE where one statement writes the facts and the
 * messages that follow from them. `parameter` (`$7`) holds the draft's `rows`.
 */
export function insertOutboxRows(parameter: string): string {
  return `INSERT INTO outbox SELECT * FROM json_populate_recordset(NULL::outbox, ${parameter}::json)`;
}
