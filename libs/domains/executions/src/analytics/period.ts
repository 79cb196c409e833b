import { invalid } from '@app/kernel';
import type { Period, RequestedPeriod } from './analytics.types.js';

const DAY_MS = 86_400_000;

/**
 * Returns the period of a request: by default the 24 hours before `to`, and `to` is now. Throws `invalid` if it is
 * empty or longer than `maxDays`.
 */
export function periodOf({ from, to }: RequestedPeriod, now: Date, maxDays: number): Period {
  const end = to ?? now;
  const start = from ?? new Date(end.getTime() - DAY_MS);
  const length = end.getTime() - start.getTime();
  const msg =
    length <= 0
      ? 'The end of the period should be after its beginning'
      : length > maxDays * DAY_MS
        ? `The period should have at most ${maxDays} days`
        : undefined;
  if (msg !== undefined) throw invalid([{ path: [to === undefined ? 'from' : 'to'], msg, type: 'value_error' }]);
  return { from: start, to: end };
}
