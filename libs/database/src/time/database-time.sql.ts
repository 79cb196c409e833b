import type { PreparedStatement } from '../pool/turn-reads.js';

/**
 * The current time for comparisons with times that another process stored (leases, commands, heartbeats). It is the
 * time of the database at the start of the statement, because the clocks of processes differ.
 */
export const DATABASE_NOW = 'statement_timestamp()';

/** Returns the time of the database as `now`. */
export const READ_TIME: PreparedStatement = { name: 'database.time', text: `SELECT ${DATABASE_NOW} AS now` };
