import { describe, expect, it } from '@jest/globals';
import { retryDelayMs } from './retry-delay.js';
import type { AttemptResult } from './webhook-delivery.types.js';

const NOW = new Date('2026-11-22T10:00:00Z');
const SCHEDULE = { delay: 5, longest: 3600 };

function responseOf(status: number | null, retryAfter?: string): AttemptResult {
  const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
  const rest = { request_headers: {}, response_ms: 1, response_body: '', error: 'failed' };
  return { ...rest, response_status: status, response_headers: status === null ? null : headers };
}

describe('retryDelayMs', () => {
  it.each([
    ['seconds', 429, '120', 120_000],
    ['an HTTP date', 503, 'Sun, 22 Nov 2026 10:02:00 GMT', 120_000],
    ['less than the schedule', 429, '1', 5000],
    ['a date in the past', 429, 'Sun, 22 Nov 2026 09:00:00 GMT', 5000],
    ['more than the longest delay of the schedule', 503, '1000000000', 3_600_000],
    ['a date beyond the longest delay', 503, 'Fri, 22 Nov 2036 10:02:00 GMT', 3_600_000],
    ['something else', 429, 'soon', 5000],
    ['a negative number', 429, '-1', 5000],
    ['nothing', 429, undefined, 5000],
    ['seconds with another status', 500, '120', 5000],
    ['seconds, without a status', null, '120', 5000],
  ])('respects a Retry-After of %s', (_name, status, retryAfter, expected) => {
    expect(retryDelayMs(SCHEDULE, responseOf(status, retryAfter), NOW, 0)).toBe(expected);
  });

  it('adds up to a fifth of the delay, and at most ten minutes', () => {
    expect(retryDelayMs(SCHEDULE, responseOf(500), NOW, 0.5)).toBe(5500);
    expect(retryDelayMs(SCHEDULE, responseOf(429, '100'), NOW, 1)).toBe(120_000);
    expect(retryDelayMs({ delay: 86_400, longest: 86_400 }, responseOf(500), NOW, 1)).toBe(87_000_000);
    expect(retryDelayMs({ delay: 0, longest: 0 }, responseOf(500), NOW, 1)).toBe(0);
  });
});
