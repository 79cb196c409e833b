import type { JobFields } from '../jobs/job.types.js';
import { cronTimes } from './cron-expression.js';
import { firstInstantAt, instantsAt, wallTimeAt } from './zoned-time.js';

const MINUTE_MS = 60_000;

/** How daylight saving time affects an instant of a schedule. */
export const INSTANT_NOTES = ['moved_by_gap', 'once_in_overlap'] as const;

export interface ScheduledInstant {
  readonly at: Date;
  /**
   * `moved_by_gap`: local times of the schedule right before this instant do not exist. `once_in_overlap`: the local
   * time occurs twice; this is the first time, the second is not due.
   */
  readonly note: (typeof INSTANT_NOTES)[number] | null;
}

/**
 * Iterates over the instants after `after` at which a schedule is due in a time zone; ends if there are no more.
 *
 * The fields of the schedule are matched against the wall clock (`cronTimes`). Wall times that daylight saving time omits
 * are skipped; a wall time that occurs twice is due only the first time.
 */
export function* instantsAfter(schedule: string, zone: string, after: Date): Generator<ScheduledInstant, undefined> {
  let isAfterGap = false;
  for (const wall of cronTimes(schedule, startAfter(after.getTime(), zone))) {
    const [first, second] = instantsAt(wall, zone);
    if (first === undefined) isAfterGap = true;
    if (first === undefined || first <= after.getTime()) continue;
    const overlap = second === undefined ? null : 'once_in_overlap';
    yield { at: new Date(first), note: isAfterGap ? 'moved_by_gap' : overlap };
    isAfterGap = false;
  }
}

/** Returns the first of `instantsAfter`; null if there is none. */
export function nextInstant(schedule: string, zone: string, after: Date): Date | null {
  return instantsAfter(schedule, zone, after).next().value?.at ?? null;
}

/** The fields on which the next time of a job depends. */
type Schedule = Pick<JobFields, 'enabled' | 'trigger_type' | 'cron_schedule' | 'cron_timezone'>;

/** Returns the next due time of the job's schedule after `now`; null for other triggers and while the job is paused. */
export function nextExecutionAt(job: Schedule, now: Date): Date | null {
  const { enabled, trigger_type, cron_schedule, cron_timezone } = job;
  if (!enabled || trigger_type !== 'cron' || cron_schedule === null) return null;
  return nextInstant(cron_schedule, cron_timezone, now);
}

/** The instants of a job that have become due since instants were last recorded. */
export interface DueInstants {
  /** The first instant before the catch-up window; null if there is none. */
  readonly missed: Date | null;
  /** Within the catch-up window, in order; at most `MAX_DUE`. */
  readonly due: readonly Date[];
  /** The instant after the last one in `due`. It is due as well if there are more than `MAX_DUE`. */
  readonly next: Date | null;
}

/** Maximum number of instants of one job that are recorded in one step. */
const MAX_DUE = 100;

/** Returns the due instants of a job. The first one is the stored next time. */
export function dueInstants(
  job: Schedule & { readonly next_execution_at: Date | null },
  now: Date,
  windowMs: number,
): DueInstants {
  const { next_execution_at: first, cron_schedule: schedule, cron_timezone: zone } = job;
  if (first === null || schedule === null || first > now) return { missed: null, due: [], next: first };
  const windowStart = new Date(now.getTime() - windowMs);
  const missed = first < windowStart ? first : null;
  const due = missed === null ? [first] : [];
  const start = missed === null ? first : new Date(windowStart.getTime() - 1);
  for (const { at } of instantsAfter(schedule, zone, start)) {
    if (at > now || due.length >= MAX_DUE) return { missed, due, next: at };
    due.push(at);
  }
  return { missed, due, next: null };
}

/**
 * Returns the wall time after which the search starts. Wall times that repeat at the end of daylight saving time are
 * not due again, so during the repetition the search starts at its end, which is a whole minute.
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
