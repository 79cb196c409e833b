import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Fault } from '@app/kernel';
import { instantsAfter, type ScheduledInstant } from './job-schedule.js';
import { scheduleFaults } from '../jobs/job-rules.js';
import { wallTimeAt } from './zoned-time.js';

export interface PreviewedInstant extends ScheduledInstant {
  /** The wall time in the time zone, `YYYY-MM-DDTHH:mm:ss`. */
  readonly local: string;
  /** Minutes by which the wall time is ahead of UTC. */
  readonly offset_minutes: number;
}

/** Returns the first instants of a valid schedule after `after`; fewer than `count` if it has no more. */
export async function previewSchedule(
  schedule: string,
  zone: string,
  { after, count }: { readonly after: Date; readonly count: number },
): Promise<PreviewedInstant[]> {
  const previewed: PreviewedInstant[] = [];
  for (const instant of instantsAfter(schedule, zone, after)) {
    const at = instant.at.getTime();
    const wall = wallTimeAt(at, zone);
    const local = new Date(wall).toISOString().slice(0, 19);
    previewed.push({ ...instant, local, offset_minutes: Math.round((wall - at) / 60_000) });
    if (previewed.length >= count) break;
    // Computing an instant of a rare schedule takes 15 ms, so requests are served in between.
    await nextTurn();
  }
  return previewed;
}

/**
 * The range of times from which a preview can start. The end leaves room for the instants of a rare schedule, which can
 * be centuries later.
 */
const [EARLIEST, LATEST] = ['1970-01-01T00:00:00.000Z', '9000-01-01T00:00:00.000Z'];

/** Returns the faults of a request for a preview. */
export function previewFaults(request: Readonly<Record<string, unknown>>): Fault[] {
  const { after } = request;
  const isOutside = after instanceof Date && (after < new Date(EARLIEST) || after > new Date(LATEST));
  const msg = `Input should be between ${EARLIEST} and ${LATEST}`;
  return [...scheduleFaults(request), ...(isOutside ? [{ path: ['after'], msg, type: 'value_error' as const }] : [])];
}
