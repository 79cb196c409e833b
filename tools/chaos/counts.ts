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
}

const NAMES = ['kills', 'freezes', 'executions', 'lost', 'instants', 'missed', 'doubled'] as const;

export function addCounts(all: readonly Partial<Counts>[]): Counts {
  const sumOf = (name: keyof Counts): number => all.reduce((sum, counts) => sum + (counts[name] ?? 0), 0);
  return Object.fromEntries(NAMES.map((name) => [name, sumOf(name)])) as unknown as Counts;
}

/** Adds up the lines of a record. A line that a killed process has not completed is ignored. */
export function readCounts(record: string): Counts {
  return addCounts(record.split('\n').flatMap(parseLine));
}

function parseLine(line: string): Partial<Counts>[] {
  try {
    return line === '' ? [] : [JSON.parse(line) as Partial<Counts>];
  } catch {
    return [];
  }
}

export function describeCounts(counts: Counts): string {
  return NAMES.map((name) => `${counts[name]} ${name}`).join(', ');
}

/** Whether the counts violate a guarantee of the platform. */
export function hasViolation({ lost, missed, doubled }: Counts): boolean {
  return lost + missed + doubled > 0;
}
