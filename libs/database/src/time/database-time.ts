import type { Database } from '../database.js';
import { READ_TIME } from './database-time.sql.js';

/** Returns the time of the database, with which it compares what other processes stored. */
export async function databaseTime(database: Database): Promise<Date> {
  const [row] = await database.prepared<{ now: Date }>(READ_TIME, []);
  if (row === undefined) throw new Error('PostgreSQL returned no time');
  return row.now;
}
