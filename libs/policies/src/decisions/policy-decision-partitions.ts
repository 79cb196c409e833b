/** A partition of the decision log: one week, Monday to Monday, UTC. */
export interface PartitionWeek {
  /** Name of the partition. */
  readonly table: string;
  readonly from: Date;
  readonly to: Date;
}

export const DECISIONS_TABLE = 'policy_decisions';

/**
 * The default partition contains rows whose week has no partition, so that no insert fails because of a missing
 * partition.
 */
export const DEFAULT_PARTITION = 'policy_decisions_default';

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** The first Monday after the epoch, which is a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

export function weekOf(moment: Date): PartitionWeek {
  const from = Math.floor((moment.getTime() - FIRST_MONDAY_MS) / WEEK_MS) * WEEK_MS + FIRST_MONDAY_MS;
  return weekFrom(from);
}

/** Returns the current week and the `ahead` weeks after it. */
export function weeksFrom(now: Date, ahead: number): PartitionWeek[] {
  const { from } = weekOf(now);
  return Array.from({ length: ahead + 1 }, (_week, index) => weekFrom(from.getTime() + index * WEEK_MS));
}

/** Returns the start of the retained period: the start of the week `days` days ago. Older decisions are deleted. */
export function retentionStart(now: Date, days: number): Date {
  return weekOf(new Date(now.getTime() - days * DAY_MS)).from;
}

/** Returns the week of a partition; undefined if the name is not that of a weekly partition. */
export function weekOfTable(table: string): PartitionWeek | undefined {
  const [, year, month, day] = /^policy_decisions_(\d{4})(\d{2})(\d{2})$/.exec(table) ?? [];
  const from = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return Number.isNaN(from.getTime()) ? undefined : weekOf(from);
}

function weekFrom(milliseconds: number): PartitionWeek {
  const from = new Date(milliseconds);
  const table = `${DECISIONS_TABLE}_${from.toISOString().slice(0, 10).replaceAll('-', '')}`;
  return { table, from, to: new Date(milliseconds + WEEK_MS) };
}
