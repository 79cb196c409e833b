import type { Database } from '../database.js';
import type { PreparedStatement } from '../pool/turn-reads.js';

/**
 * The current time for comparisons with times that another process stored (leases, commands, heartbeats). It is the
 * time of the database at the start of the statement, because the clocks of processes differ.
 */
export const DATABASE_NOW = 'statement_timestamp()';

/** Returns the time of the database as `now`. */
const READ_TIME: PreparedStatement = { name: 'database.time', text: `SELECT ${DATABASE_NOW} AS now` };

/** Returns the time of the database. Statements compare times that other processes stored with this time. */
export async function databaseTime(database: Database): Promise<Date> {
  const [row] = await database.prepared<{ now: Date }>(READ_TIME, []);
  if (row === undefined) throw new Error('PostgreSQL returned no time');
  return row.now;
}
