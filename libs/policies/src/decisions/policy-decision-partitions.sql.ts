import { DECISIONS_TABLE, DEFAULT_PARTITION, type PartitionWeek } from './policy-decision-partitions.js';

/** Returns the names of all partitions except for the default one. `$1` table, `$2` default partition. */
export const FIND_PARTITIONS = `
  SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = $1::regclass AND c.relname <> $2`;

/** Returns the first `day` of each week with rows in the default partition. */
export const FIND_WEEKS_IN_DEFAULT_PARTITION = `SELECT DISTINCT date_trunc('week', at, 'UTC') AS day FROM ${DEFAULT_PARTITION} ORDER BY day`;

/** Returns a row if the table exists. `$1` table. */
export const FIND_TABLE = 'SELECT 1 AS one WHERE to_regclass($1) IS NOT NULL';

/** `$1` start of the retained period. */
export const DELETE_FROM_DEFAULT_PARTITION = `DELETE FROM ${DEFAULT_PARTITION} WHERE at < $1`;

/** Limits the wait for each lock of the current transaction. */
export const LIMIT_LOCK_WAIT = "SET LOCAL lock_timeout = '1s'";

/** The process that changes partitions holds this lock until its transaction ends. */
export const LOCK_PARTITIONS = "SELECT pg_advisory_xact_lock(hashtextextended('policy-decision-partitions', 0))";

/**
 * Returns the statements that create the partition of a week and move its rows out of the default partition, in order.
 */
export function createPartition(week: PartitionWeek): readonly string[] {
  const from = week.from.toISOString();
  const to = week.to.toISOString();
  return [
    `LOCK TABLE ONLY ${DECISIONS_TABLE} IN SHARE ROW EXCLUSIVE MODE`,
    `CREATE TABLE ${week.table} (LIKE ${DECISIONS_TABLE} INCLUDING ALL)`,
    `WITH moved AS (DELETE FROM ${DEFAULT_PARTITION} WHERE at >= '${from}' AND at < '${to}' RETURNING *)
     INSERT INTO ${week.table} SELECT * FROM moved`,
    `ALTER TABLE ${DECISIONS_TABLE} ATTACH PARTITION ${week.table} FOR VALUES FROM ('${from}') TO ('${to}')`,
  ];
}

export function dropPartition(week: PartitionWeek): string {
  return `DROP TABLE IF EXISTS ${week.table}`;
}
