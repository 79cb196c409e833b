/** Returns `on` as `setting` on a standby, and on a server or database that was set to read-only. */
export const READ_ONLY_SETTING = `SELECT current_setting('transaction_read_only') AS setting`;

/**
 * Fails while the disk is full: a new table always needs new pages, whereas an insert into an existing table can use the
 * free space of a page. The table is dropped at the end of the statement.
 */
export const PROBE_DISK = 'CREATE TEMPORARY TABLE write_probe ON COMMIT DROP AS SELECT 1 AS probe';
