import { loadConfig, RateLimitConfig } from '@app/config';
import { limitHeaders, unused, type KeyWindows } from './limit-headers.js';

const SECOND_MS = 1000;

/** Returns the windows of a key without its own limits. */
export function defaultWindows({ burst, perMinute, perDay }: RateLimitConfig): KeyWindows {
  return {
    burst: { lengthMs: 10 * SECOND_MS, limit: burst },
    minute: { lengthMs: 60 * SECOND_MS, limit: perMinute },
    day: { lengthMs: 86_400 * SECOND_MS, limit: perDay },
  };
}

/** Returns the headers of responses to requests without a key: the default limits, with no requests used. */
export function unusedLimitHeaders(): () => Record<string, string> {
  const windows = defaultWindows(loadConfig(RateLimitConfig));
  return () => limitHeaders(unused(windows, Date.now()));
}
