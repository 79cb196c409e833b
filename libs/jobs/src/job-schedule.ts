import { CronExpressionParser } from 'cron-parser';
import type { JobFields } from './job.types.js';
import { firstInstantAt, wallTimeAt } from './zoned-time.js';

const MINUTE_MS = 60_000;
/** The parser replaces `H` by a random value, a different one on each call. */
const RANDOM_FIELD = /(^|[\s,])H($|[\s,(/])/i;

/** Returns whether this is a cron expression of five fields, or six with seconds first, that matches some date. */
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
 * Returns the first instant after `after` at which a schedule is due in a time zone; null if there is none.
 *
 * The fields of the schedule are matched against the wall clock. Wall times that daylight saving time leaves out are
 * skipped; a wall time that occurs twice is due the first time only.
 */
export function nextInstant(schedule: string, zone: string, after: Date): Date | null {
  try {
    const times = wallTimes(schedule, startAfter(after.getTime(), zone));
    for (;;) {
      const instant = firstInstantAt(times.next().getTime(), zone);
      if (instant !== undefined && instant > after.getTime()) return new Date(instant);
    }
  } catch {
    return null;
  }
}

/** Returns the next due time of the job's schedule after `now`; null for other triggers and while the job is paused. */
export function nextExecutionAt(
  job: Pick<JobFields, 'enabled' | 'trigger_type' | 'cron_schedule' | 'cron_timezone'>,
  now: Date,
): Date | null {
  const { enabled, trigger_type, cron_schedule, cron_timezone } = job;
  if (!enabled || trigger_type !== 'cron' || cron_schedule === null) return null;
  return nextInstant(cron_schedule, cron_timezone, now);
}

/** Iterates the due wall times after `after`. `next` throws if there are no more. */
function wallTimes(schedule: string, after: number): { next(): { getTime(): number } } {
  return CronExpressionParser.parse(schedule, { tz: 'UTC', currentDate: new Date(after) });
}

/**
 * Returns the wall time after which the search starts. Wall times that repeat at the end of daylight saving time are not
 * due again, so during the repetition the search starts at its end, which is a whole minute.
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
