/** Returns `read_only`: true on a standby, and on a server that was set to read-only. */
export const IS_READ_ONLY = `SELECT current_setting('transaction_read_only') = 'on' AS read_only`;

/** Returns the id of the process that serves the connection, as `pid`. */
export const SERVER_PROCESS = 'SELECT pg_backend_pid() AS pid';
