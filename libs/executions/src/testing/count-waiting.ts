import type { Database } from '@app/database';

/** For tests: how many statements wait for a lock that a transaction of this database holds. */
export async function countWaiting(database: Database): Promise<number> {
  // A connection of its own, also where the caller is inside a transaction.
  const [row] = await database.dataSource.query<{ waiting: number }[]>(
    `SELECT count(*)::integer AS waiting FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return row?.waiting ?? 0;
}
