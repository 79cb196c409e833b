/** The counts of the tests of one or more rounds (see `test/support/chaos.ts`). */
export interface Counts {
  readonly kills: number;
  /** Processes that were suspended for some time. */
  readonly freezes: number;
  /** Executions whose creation was acknowledged to a client during the faults. */
  readonly executions: number;
  /** Acknowledged executions that were not stored or did not complete. */
  readonly lost: number;
  /** Instants of schedules during the faults. */
  readonly instants: number;
  /** Instants that started no execution. */
  readonly missed: number;
  /** Requests and instants that started more than one execution. */
  readonly doubled: number;
  /** Events that streams lacked without saying so. */
  readonly events_lost: number;
  /** Streams that said that they lack events. */
  readonly gaps: number;
}

const NAMES = [
  'kills',
  'freezes',
  'executions',
  'lost',
  'instants',
  'missed',
  'doubled',
  'events_lost',
  'gaps',
] as const;

export function addCounts(all: readonly Partial<Counts>[]): Counts {
  const sumOf = (name: keyof Counts): number => all.reduce((sum, counts) => sum + (counts[name] ?? 0), 0);
  return Object.fromEntries(NAMES.map((name) => [name, sumOf(name)])) as unknown as Counts;
}

/** Adds up the lines of a record. A line that a killed process has not completed is ignored. */
export function readCounts(record: string): Counts {
  return addCounts(record.split('\n').flatMap(parseLine));
}

/** Returns for how long the platform did not serve after each promotion, in milliseconds. */
export function readPauses(record: string): number[] {
  return record.split('\n').flatMap((line) => parseLine(line).flatMap(({ pause_ms }) => pause_ms ?? []));
}

function parseLine(line: string): (Partial<Counts> & { readonly pause_ms?: number })[] {
  try {
    return line === '' ? [] : [JSON.parse(line) as Partial<Counts>];
  } catch {
    return [];
  }
}

export function describeCounts(counts: Counts): string {
  return NAMES.map((name) => `${counts[name]} ${name.replace('_', ' ')}`).join(', ');
}

/** Describes what a topology went through: `counts` of its test, and its `pauses`. */
export function describeTopology(counts: Counts, pauses: readonly number[]): string {
  const { kills, freezes, executions, lost, events_lost, gaps } = counts;
  const longest =
    pauses.length === 0 ? 'no promotion' : `without service after a promotion: ${Math.max(...pauses)} ms at most`;
  const each = pauses.length > 1 ? ` (${pauses.join(', ')})` : '';
  return [
    `${kills} kills, ${freezes} freezes`,
    `executions: ${executions} started, ${executions - lost} finished, ${lost} lost`,
    `events: ${events_lost} lost, ${gaps} gaps told`,
    `${longest}${each}`,
  ].join('; ');
}

/** Whether the counts violate a guarantee of the platform. */
export function hasViolation({ lost, missed, doubled, events_lost }: Counts): boolean {
  return lost + missed + doubled + events_lost > 0;
}
