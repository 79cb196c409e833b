import { CronExpressionParser } from 'cron-parser';
import { firstInstantAt, wallTimeAt } from './zoned-time.js';

const MINUTE_MS = 60_000;
/** `H` asks the parser for a random value, which would be another one at every look. */
const RANDOM_FIELD = /(^|[\s,])H($|[\s,(/])/i;

/** Whether this is a cron expression of five fields, or six with seconds first, that comes due at all. */
export function isCronSchedule(text: string): boolean {
  const fields = text.trim().split(/\s+/).length;
  if ((fields !== 5 && fields !== 6) || RANDOM_FIELD.test(text)) return false;
  try {
    return wallTimes(text, 0).next() !== undefined;
  } catch {
    return false;
  }
}

/**
 * The first instant after `after` at which a schedule comes due in a time zone; `null` when there is none.
 *
 * The schedule speaks of the wall clock. A wall time that daylight saving leaves out is skipped for the next one that
 * exists; one that comes twice is due the first time only.
 */
export function nextInstant(schedule: string, zone: string, after: Date): Date | null {
  const times = wallTimes(schedule, startAfter(after.getTime(), zone));
  try {
    for (;;) {
      const instant = firstInstantAt(times.next().getTime(), zone);
      if (instant !== undefined && instant > after.getTime()) return new Date(instant);
    }
  } catch {
    return null;
  }
}

/** The due wall times after `after`. Its `next` throws when there is none. */
function wallTimes(schedule: string, after: number): { next(): { getTime(): number } } {
  return CronExpressionParser.parse(schedule, { tz: 'UTC', currentDate: new Date(after) });
}

/**
 * The wall time after which to look. While a stretch of wall time passes for the second time, nothing in it is due any
 * more, so the search begins at its end (which, as every change of clocks, is a whole minute).
 */
function startAfter(instant: number, zone: string): number {
  const wall = wallTimeAt(instant, zone);
  if (!isRepeated(wall, instant, zone)) return wall;
  let end = wall - (wall % MINUTE_MS);
  while (isRepeated(end, instant, zone)) end += MINUTE_MS;
  return end - 1;
}

function isRepeated(wall: number, instant: number, zone: string): boolean {
  const first = firstInstantAt(wall, zone);
  return first !== undefined && first < instant;
}
