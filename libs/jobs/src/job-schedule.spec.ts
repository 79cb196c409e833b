import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isCronSchedule, nextInstant } from './job-schedule.js';
import { isTimeZone } from './zoned-time.js';

const next = (schedule: string, zone: string, after: string): string | null =>
  nextInstant(schedule, zone, new Date(after))?.toISOString() ?? null;

describe('a cron schedule', () => {
  it.each([
    '* * * * *',
    '*/5 0-6,12 1,15 JAN-MAR MON-FRI',
    '30 */10 * * * *',
    '0 0 29 2 *',
    ' 0  9 * * 7 ',
    '0 0 L * *',
  ])('%j is valid', (text) => expect(isCronSchedule(text)).toBe(true));

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
  ])('%j is invalid', (text) => expect(isCronSchedule(text)).toBe(false));
});

describe('a time zone', () => {
  it.each(['UTC', 'Europe/Berlin', 'america/argentina/buenos_aires', 'Etc/GMT+5'])('%j exists', (name) =>
    expect(isTimeZone(name)).toBe(true),
  );

  it.each(['', 'Mars/Olympus', '+02:00', 'Europe/Berlin ', 'Berlin', 'local'])('%j does not', (name) =>
    expect(isTimeZone(name)).toBe(false),
  );
});

describe('the next instant of a schedule', () => {
  it('lies strictly after the given one', () => {
    expect(next('0 12 * * *', 'UTC', '2026-05-01T12:00:00.000Z')).toBe('2026-05-02T12:00:00.000Z');
    expect(next('0 12 * * *', 'UTC', '2026-05-01T11:59:59.999Z')).toBe('2026-05-01T12:00:00.000Z');
    expect(next('*/10 * * * * *', 'UTC', '2026-05-01T12:00:00.500Z')).toBe('2026-05-01T12:00:10.000Z');
  });

  it('follows the wall clock of the zone', () => {
    expect(next('30 9 * * MON', 'Asia/Kolkata', '2026-01-01T00:00:00Z')).toBe('2026-01-05T04:00:00.000Z');
    expect(next('0 9 * * *', 'America/New_York', '2026-03-07T15:00:00Z')).toBe('2026-03-08T13:00:00.000Z');
  });

  it('skips a wall time that does not exist for the next one that does', () => {
    const beforeGap = '2026-03-28T12:00:00Z';
    expect(next('30 2 * * *', 'Europe/Berlin', beforeGap)).toBe('2026-03-30T00:30:00.000Z');
    expect(next('30 2,4 29 * *', 'Europe/Berlin', beforeGap)).toBe('2026-03-29T02:30:00.000Z');
    expect(next('*/30 * * * *', 'Europe/Berlin', '2026-03-29T00:30:00Z')).toBe('2026-03-29T01:00:00.000Z');
  });

  it('is due once where a wall time comes twice', () => {
    expect(next('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z')).toBe('2026-10-25T00:30:00.000Z');
    expect(next('30 2 * * *', 'Europe/Berlin', '2026-10-25T00:30:00Z')).toBe('2026-10-26T01:30:00.000Z');
    expect(next('*/20 * * * * *', 'Europe/Berlin', '2026-10-25T01:10:05Z')).toBe('2026-10-25T02:00:00.000Z');
    expect(next('15,45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T14:45:00Z')).toBe('2026-04-05T14:45:00.000Z');
  });

  it('is the first due minute of the wall clock, found by walking minute by minute', () => {
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
          expect(found?.toISOString()).toBe(walk(m, h, tz, after).toISOString());
        },
      ),
      { numRuns: 60 },
    );
  });
});

/** The oracle: every minute in turn, passing over wall times that were shown before. */
function walk(minutes: readonly number[], hours: readonly number[], timeZone: string, after: Date): Date {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  const shown = new Set<string>();
  const start = Math.floor(after.getTime() / 60_000) * 60_000;
  for (let instant = start - 26 * 3_600_000; ; instant += 60_000) {
    const wall = format.format(instant);
    const [hour, minute] = wall.slice(-5).split(':').map(Number);
    const due = minutes.includes(minute ?? -1) && hours.includes(hour ?? -1) && !shown.has(wall);
    shown.add(wall);
    if (due && instant > after.getTime()) return new Date(instant);
  }
}
