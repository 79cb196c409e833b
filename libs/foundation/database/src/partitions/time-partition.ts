/** A table that is partitioned by ranges of a time. Its default partition is named `<table>_default`. */
export interface PartitionedTable {
  readonly table: string;
  /** The column of the ranges: a `timestamptz` or a `date`. */
  readonly column: string;
  /** The length of a partition. Weeks are from Monday to Monday, UTC. */
  readonly period: PartitionPeriod;
}

export type PartitionPeriod = 'day' | 'week';

/** One partition of a table. */
export interface TimePartition {
  /** Name of the partition: that of the table, with the date of `from`. */
  readonly name: string;
  readonly from: Date;
  readonly to: Date;
}

const DAY_MS = 86_400_000;
/** The first Monday after the epoch, which is a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;
const PERIODS = {
  day: { lengthMs: DAY_MS, originMs: 0 },
  week: { lengthMs: 7 * DAY_MS, originMs: FIRST_MONDAY_MS },
};

/**
 * Contains rows whose period has no partition, so that no insert fails because of a missing partition.
 */
export function defaultPartitionOf({ table }: PartitionedTable): string {
  return `${table}_default`;
}

export function partitionOf(table: PartitionedTable, moment: Date): TimePartition {
  const { lengthMs, originMs } = PERIODS[table.period];
  const from = Math.floor((moment.getTime() - originMs) / lengthMs) * lengthMs + originMs;
  return partitionFrom(table, from);
}

/** Returns the current partition and the `ahead` ones after it. */
export function partitionsFrom(table: PartitionedTable, now: Date, ahead: number): TimePartition[] {
  const first = partitionOf(table, now).from.getTime();
  const { lengthMs } = PERIODS[table.period];
  return Array.from({ length: ahead + 1 }, (_partition, index) => partitionFrom(table, first + index * lengthMs));
}

/** Returns the start of the retained period: the start of the partition `days` days ago. */
export function retentionStart(table: PartitionedTable, now: Date, days: number): Date {
  return partitionOf(table, new Date(now.getTime() - days * DAY_MS)).from;
}

/** Returns the partition with this name; undefined if the name is not that of a partition with a period. */
export function partitionNamed(table: PartitionedTable, name: string): TimePartition | undefined {
  if (!name.startsWith(`${table.table}_`)) return undefined;
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(name.slice(table.table.length + 1)) ?? [];
  const from = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return Number.isNaN(from.getTime()) ? undefined : partitionOf(table, from);
}

function partitionFrom({ table, period }: PartitionedTable, milliseconds: number): TimePartition {
  const from = new Date(milliseconds);
  const name = `${table}_${from.toISOString().slice(0, 10).replaceAll('-', '')}`;
  return { name, from, to: new Date(milliseconds + PERIODS[period].lengthMs) };
}
