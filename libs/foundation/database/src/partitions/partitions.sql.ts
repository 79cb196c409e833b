import { defaultPartitionOf, type PartitionedTable, type TimePartition } from './time-partition.js';

/** Returns the names of all partitions except for the default one. `$1` table, `$2` default partition. */
export const FIND_PARTITIONS = `
  SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = $1::regclass AND c.relname <> $2`;

/** Returns a row if the table exists. `$1` table. */
export const FIND_TABLE = 'SELECT 1 AS one WHERE to_regclass($1) IS NOT NULL';

/** Limits the wait for each lock of the current transaction. */
export const LIMIT_LOCK_WAIT = "SET LOCAL lock_timeout = '1s'";

/** The process that changes the partitions of a table holds this lock until its transaction ends. `$1` table. */
export const LOCK_PARTITIONS = "SELECT pg_advisory_xact_lock(hashtextextended('partitions of ' || $1, 0))";

/** Returns the first `day` of each period with rows in the default partition. */
export function findPeriodsInDefaultPartition(table: PartitionedTable): string {
  const { column, period } = table;
  return `SELECT DISTINCT date_trunc('${period}', ${column}::timestamptz, 'UTC') AS day
    FROM ${defaultPartitionOf(table)} ORDER BY day`;
}

/** `$1` start of the retained period. */
export function deleteFromDefaultPartition(table: PartitionedTable): string {
  return `DELETE FROM ${defaultPartitionOf(table)} WHERE ${table.column} < $1`;
}

/** Returns the statements that create a partition and move its rows out of the default partition, in order. */
export function createPartition(table: PartitionedTable, partition: TimePartition): readonly string[] {
  const from = partition.from.toISOString();
  const to = partition.to.toISOString();
  const { column } = table;
  return [
    `LOCK TABLE ONLY ${table.table} IN SHARE ROW EXCLUSIVE MODE`,
    `CREATE TABLE ${partition.name} (LIKE ${table.table} INCLUDING ALL)`,
    `WITH moved AS (DELETE FROM ${defaultPartitionOf(table)} WHERE ${column} >= '${from}' AND ${column} < '${to}' RETURNING *)
     INSERT INTO ${partition.name} SELECT * FROM moved`,
    `ALTER TABLE ${table.table} ATTACH PARTITION ${partition.name} FOR VALUES FROM ('${from}') TO ('${to}')`,
  ];
}

export function dropPartition(partition: TimePartition): string {
  return `DROP TABLE IF EXISTS ${partition.name}`;
}
