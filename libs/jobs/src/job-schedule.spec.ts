import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isCronSchedule, nextExecutionAt, nextInstant } from './job-schedule.js';
import { isTimeZone } from './zoned-time.js';

const next = (schedule: string, zone: string, after: string): string | null =>
  nextInstant(schedule, zone, new Date(after))?.toISOString() ?? null;

describe('isCronSchedule', () => {
  it.each([
    '* * * * *',
    '*/5 0-6,12 1,15 JAN-MAR MON-FRI',
    '30 */10 * * * *',
    '0 0 29 2 *',
    ' 0  9 * * 7 ',
    '0 0 L * *',
  ])('accepts %j', (text) => expect(isCronSchedule(text)).toBe(true));

  it.each([
    '',
    'soon',
    '* * * *',
    '* * * * * * *',
    '@daily',
    '60 * * * *',
    '* 24 * * *',
    '0 0 30 2 *',
    '0 0 31 4,6 *',
    '*/0 * * * *',
    '5-1 * * * *',
    '0 0 * * 8',
    'H * * * *',
    '0 H(0-7) * * *',
  ])('rejects %j', (text) => expect(isCronSchedule(text)).toBe(false));
});

describe('isTimeZone', () => {
  it.each(['UTC', 'Europe/Berlin', 'america/argentina/buenos_aires', 'Etc/GMT+5'])('accepts %j', (name) =>
    expect(isTimeZone(name)).toBe(true),
  );

  it.each(['', 'Mars/Olympus', '+02:00', 'Europe/Berlin ', 'Berlin', 'local'])('rejects %j', (name) =>
    expect(isTimeZone(name)).toBe(false),
  );
});

describe('nextInstant', () => {
  it('returns an instant strictly after the given one', () => {
    expect(next('0 12 * * *', 'UTC', '2026-05-01T12:00:00.000Z')).toBe('2026-05-02T12:00:00.000Z');
    expect(next('0 12 * * *', 'UTC', '2026-05-01T11:59:59.999Z')).toBe('2026-05-01T12:00:00.000Z');
    expect(next('*/10 * * * * *', 'UTC', '2026-05-01T12:00:00.500Z')).toBe('2026-05-01T12:00:10.000Z');
  });

  it('follows the wall clock of the time zone', () => {
    expect(next('30 9 * * MON', 'Asia/Kolkata', '2026-01-01T00:00:00Z')).toBe('2026-01-05T04:00:00.000Z');
    expect(next('0 9 * * *', 'America/New_York', '2026-03-07T15:00:00Z')).toBe('2026-03-08T13:00:00.000Z');
  });

  it('skips wall times that daylight saving time leaves out', () => {
    const beforeGap = '2026-03-28T12:00:00Z';
    expect(next('30 2 * * *', 'Europe/Berlin', beforeGap)).toBe('2026-03-30T00:30:00.000Z');
    expect(next('30 2,4 29 * *', 'Europe/Berlin', beforeGap)).toBe('2026-03-29T02:30:00.000Z');
    expect(next('*/30 * * * *', 'Europe/Berlin', '2026-03-29T00:30:00Z')).toBe('2026-03-29T01:00:00.000Z');
  });

  it('uses only the first of two instants with the same wall time', () => {
    expect(next('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z')).toBe('2026-10-25T00:30:00.000Z');
    expect(next('30 2 * * *', 'Europe/Berlin', '2026-10-25T00:30:00Z')).toBe('2026-10-26T01:30:00.000Z');
    expect(next('*/20 * * * * *', 'Europe/Berlin', '2026-10-25T01:10:05Z')).toBe('2026-10-25T02:00:00.000Z');
    expect(next('15,45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T14:45:00Z')).toBe('2026-04-05T14:45:00.000Z');
  });

  it('agrees with a search of the wall clock minute by minute', () => {
    const field = (max: number): fc.Arbitrary<number[]> =>
      fc.uniqueArray(fc.integer({ min: 0, max }), { minLength: 1, maxLength: 6 });
    const zone = fc.constantFrom(
      'UTC',
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'America/Sao_Paulo',
    );
    const nearChange = fc.constantFrom(
      '2026-03-08',
      '2026-03-29',
      '2026-04-05',
      '2026-10-04',
      '2026-10-25',
      '2026-11-01',
    );
    fc.assert(
      fc.property(
        field(59),
        field(23),
        zone,
        nearChange,
        fc.integer({ min: -2000, max: 1500 }),
        (m, h, tz, day, shift) => {
          const after = new Date(Date.parse(`${day}T00:00:00Z`) + shift * 60_000);
          const found = nextInstant(`${m.join(',')} ${h.join(',')} * * *`, tz, after);
          expect(found?.toISOString()).toBe(searchByMinute(m, h, tz, after).toISOString());
        },
      ),
      { numRuns: 60 },
    );
  });
});

/** The oracle: checks every minute in turn and skips wall times that occurred before. */
function searchByMinute(minutes: readonly number[], hours: readonly number[], timeZone: string, after: Date): Date {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  const seen = new Set<string>();
  const start = Math.floor(after.getTime() / 60_000) * 60_000;
  for (let instant = start - 26 * 3_600_000; ; instant += 60_000) {
    const wall = format.format(instant);
    const [hour, minute] = wall.slice(-5).split(':').map(Number);
    const due = minutes.includes(minute ?? -1) && hours.includes(hour ?? -1) && !seen.has(wall);
    seen.add(wall);
    if (due && instant > after.getTime()) return new Date(instant);
  }
}

describe('nextExecutionAt', () => {
  const now = new Date('2026-03-28T12:00:00.000Z');
  const schedule = { cron_schedule: '30 2 * * *', cron_timezone: 'Europe/Berlin' };

  it('returns the next due time of an enabled cron job', () => {
    const due = nextExecutionAt({ enabled: true, trigger_type: 'cron', ...schedule }, now);
    expect(due?.toISOString()).toBe('2026-03-30T00:30:00.000Z');
  });

  it('returns null for a paused job and for other triggers', () => {
    expect(nextExecutionAt({ enabled: false, trigger_type: 'cron', ...schedule }, now)).toBeNull();
    expect(nextExecutionAt({ enabled: true, trigger_type: 'manual', ...schedule }, now)).toBeNull();
  });
});
