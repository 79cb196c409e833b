/** What the tests of one or more rounds have counted (see `test/support/chaos.ts`). */
export interface Counts {
  readonly kills: number;
  /** Executions that a client got acknowledged while processes were killed. */
  readonly executions: number;
  /** Those that were not stored, or not completed, afterwards. */
  readonly lost: number;
}

const NONE: Counts = { kills: 0, executions: 0, lost: 0 };

export function addCounts(all: readonly Partial<Counts>[]): Counts {
  return all.reduce<Counts>(
    (sum, { kills = 0, executions = 0, lost = 0 }) => ({
      kills: sum.kills + kills,
      executions: sum.executions + executions,
      lost: sum.lost + lost,
    }),
    NONE,
  );
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

export function describeCounts({ kills, executions, lost }: Counts): string {
  return `${kills} kills, ${executions} executions, ${lost} lost`;
}
