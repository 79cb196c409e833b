import type { HeaderDescription } from '@app/http';
import type { Verdict, Window, WindowState } from './windows.js';

/** The windows of a key of the platform API, in this order. */
export interface KeyWindows<W extends Window = Window> {
  readonly burst: W;
  readonly minute: W;
  readonly day: W;
}

const count = (description: string): HeaderDescription => ({
  description,
  required: true,
  schema: { type: 'integer', minimum: 0 },
});

/** Descriptions of the headers that `limitHeaders` returns, for documents. */
export const LIMIT_HEADERS = {
  'X-RateLimit-Limit': count(
    'Limit of requests of the API key in a minute or in a day, whichever window has fewer requests left',
  ),
  'X-RateLimit-Remaining': count('Requests left in that window'),
  'X-RateLimit-Reset': count('Time in seconds since the Unix epoch from which that window has one more request'),
  'X-RateLimit-Burst-Limit': count('Limit of requests of the API key in ten seconds'),
  'X-RateLimit-Burst-Remaining': count('Requests left in the last ten seconds'),
} as const satisfies Readonly<Record<string, HeaderDescription>>;

/**
 * The five headers that state the limits of a key. The first three describe the minute or the day, whichever has fewer
 * requests left; the minute if both have equally many. `X-RateLimit-Reset` is the time, in whole seconds since the
 * epoch, from which it has one more.
 */
export function limitHeaders({
  burst,
  minute,
  day,
}: KeyWindows<WindowState>): Record<keyof typeof LIMIT_HEADERS, string> {
  const shown = day.remaining < minute.remaining ? day : minute;
  return {
    'X-RateLimit-Limit': String(shown.limit),
    'X-RateLimit-Remaining': String(shown.remaining),
    'X-RateLimit-Reset': String(Math.ceil(shown.freesAt / 1000)),
    'X-RateLimit-Burst-Limit': String(burst.limit),
    'X-RateLimit-Burst-Remaining': String(burst.remaining),
  };
}

/** Names the states of a verdict on the windows of a key. */
export function statesOf({ windows }: Verdict): KeyWindows<WindowState> {
  const [burst, minute, day] = windows;
  if (burst === undefined || minute === undefined || day === undefined) throw new Error('A key has three windows');
  return { burst, minute, day };
}

/** Windows without a counted request, at this time. */
export function unused({ burst, minute, day }: KeyWindows, now: number): KeyWindows<WindowState> {
  const free = (window: Window): WindowState => ({
    ...window,
    remaining: window.limit,
    freesAt: now + window.lengthMs,
  });
  return { burst: free(burst), minute: free(minute), day: free(day) };
}
