import type { HeaderDescription } from '@app/http';
import type { WindowVerdict, Window, WindowState } from './windows.js';

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
    'Limit of requests of the API key in a minute or in a day, whichever window has fewer remaining requests',
  ),
  'X-RateLimit-Remaining': count('Remaining requests in the window of `X-RateLimit-Limit`'),
  'X-RateLimit-Reset': count(
    'Time, in seconds since the Unix epoch, at which the window of `X-RateLimit-Limit` accepts one more request',
  ),
  'X-RateLimit-Burst-Limit': count('Limit of requests of the API key in ten seconds'),
  'X-RateLimit-Burst-Remaining': count('Remaining requests in ten seconds'),
} as const satisfies Readonly<Record<string, HeaderDescription>>;

/**
 * The five headers that state the limits of a key. The first three describe the minute or the day, whichever has fewer
 * remaining requests; the minute if the numbers are equal. `X-RateLimit-Reset` is the time, in whole seconds since the
 * epoch, at which this window accepts one more request.
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

/** Returns the states in a verdict by the names of the windows of a key. */
export function statesOf({ windows }: WindowVerdict): KeyWindows<WindowState> {
  const [burst, minute, day] = windows;
  if (burst === undefined || minute === undefined || day === undefined) throw new Error('A key has three windows');
  return { burst, minute, day };
}

/** Returns the states of windows without a counted request, at this time. */
export function unused({ burst, minute, day }: KeyWindows, now: number): KeyWindows<WindowState> {
  const free = (window: Window): WindowState => ({
    ...window,
    remaining: window.limit,
    freesAt: now + window.lengthMs,
  });
  return { burst: free(burst), minute: free(minute), day: free(day) };
}
