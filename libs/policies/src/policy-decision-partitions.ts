/** The parts of the decision log are weeks, from Monday to Monday, UTC. */
export interface PartitionWeek {
  /** Name of its table. */
  readonly table: string;
  readonly from: Date;
  readonly to: Date;
}

export const DECISIONS = 'policy_decisions';

/** Takes every row whose week has no table of its own, so that no write ever fails. */
export const REST = 'policy_decisions_default';

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** The first Monday after the epoch, which was a Thursday. */
const MONDAY_MS = 4 * DAY_MS;

export function weekOf(moment: Date): PartitionWeek {
  const from = Math.floor((moment.getTime() - MONDAY_MS) / WEEK_MS) * WEEK_MS + MONDAY_MS;
  return weekFrom(from);
}

/** The present week and the `ahead` ones after it. */
export function weeksFrom(now: Date, ahead: number): PartitionWeek[] {
  const { from } = weekOf(now);
  return Array.from({ length: ahead + 1 }, (_week, index) => weekFrom(from.getTime() + index * WEEK_MS));
}

/** Before this moment nothing is kept: the start of the week that is `days` old. */
export function keptFrom(now: Date, days: number): Date {
  return weekOf(new Date(now.getTime() - days * DAY_MS)).from;
}

/** The week of a table; undefined where the table is none of a week. */
export function weekOfTable(table: string): PartitionWeek | undefined {
  const [, year, month, day] = /^policy_decisions_(\d{4})(\d{2})(\d{2})$/.exec(table) ?? [];
  const from = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return Number.isNaN(from.getTime()) ? undefined : weekOf(from);
}

function weekFrom(milliseconds: number): PartitionWeek {
  const from = new Date(milliseconds);
  const table = `${DECISIONS}_${from.toISOString().slice(0, 10).replaceAll('-', '')}`;
  return { table, from, to: new Date(milliseconds + WEEK_MS) };
}
