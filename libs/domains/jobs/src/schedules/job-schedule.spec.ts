import { describe, expect, it } from '@jest/globals';
import { Cron } from 'croner';
import fc from 'fast-check';
import { dueInstants, instantsAfter, nextExecutionAt, nextInstant, type ScheduledInstant } from './job-schedule.js';
import { cronFault } from './cron-expression.js';
import { isTimeZone } from './zoned-time.js';

const next = (schedule: string, zone: string, after: string): string | null =>
  nextInstant(schedule, zone, new Date(after))?.toISOString() ?? null;

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

  it('agrees with another library on the wall times, and with a search for the instants at which clocks show them', () => {
    fc.assert(
      fc.property(anySchedule(), anyZone, anyTime, (schedule, zone, after) => {
        // Schedules without dates are skipped here.
        fc.pre(cronFault(schedule) === undefined);
        const found = firstOf(schedule, zone, after, INSTANTS).map(({ at }) => at.toISOString());
        expect(found).toEqual(searchInstants(schedule, zone, after));
      }),
      { numRuns: 300 },
    );
  });
});

function firstOf(schedule: string, zone: string, after: Date, count: number): ScheduledInstant[] {
  const found: ScheduledInstant[] = [];
  for (const instant of instantsAfter(schedule, zone, after)) if (found.push(instant) === count) break;
  return found;
}

const INSTANTS = 4;
const QUARTER_MS = 15 * 60_000;

/**
 * The reference implementation. It relies on offsets of time zones that are multiples of a quarter of an hour at the
 * times of these tests.
 */
function searchInstants(schedule: string, zone: string, after: Date): string[] {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  const [days, , weekdays] = schedule.split(/\s+/).slice(-3);
  const domAndDow = days?.startsWith('*') === true || weekdays?.startsWith('*') === true;
  const clocks = new Cron(schedule, { timezone: 'UTC', paused: true, domAndDow });
  const found: string[] = [];
  // Starts at the wall time of `after`: each earlier wall time was first shown before `after`.
  let wall = clocks.nextRun(new Date(Date.parse(`${format.format(after).replace(' ', 'T')}Z`) - 1000));
  for (; wall !== null && found.length < INSTANTS; wall = clocks.nextRun(wall)) {
    const shown = wall.toISOString().slice(0, 19).replace('T', ' ');
    const candidates = Array.from({ length: 8 * 14 + 1 }, (_none, n) => Number(wall) + (n - 4 * 14) * QUARTER_MS);
    const first = candidates.find((instant) => format.format(instant) === shown);
    if (first !== undefined && first > after.getTime()) found.push(new Date(first).toISOString());
  }
  return found;
}

/** Schedules of five or six fields with lists, ranges, steps and names. */
function anySchedule(): fc.Arbitrary<string> {
  const number = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });
  const part = (min: number, max: number): fc.Arbitrary<string> =>
    fc.oneof(
      number(min, max).map(String),
      fc.tuple(number(min, max), number(min, max)).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
      fc.tuple(number(min, max), number(1, 7)).map(([from, step]) => `${from}-${max}/${step}`),
    );
  /** Values may be repeated, as items or in other forms. */
  const list = (item: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc
      .tuple(fc.array(item, { minLength: 1, maxLength: 3 }), fc.array(fc.nat(2), { maxLength: 2 }))
      .map(([items, repeats]) => [...items, ...repeats.map((index) => items[index % items.length])].join(','));
  const field = (min: number, max: number): fc.Arbitrary<string> =>
    fc.oneof(
      fc.constant('*'),
      number(2, 20).map((step) => `*/${step}`),
      list(part(min, max)),
    );
  const day = fc.oneof(
    fc.tuple(fc.constant('*'), fc.constant('*')),
    fc.tuple(part(1, 28), fc.constant('*')),
    fc.tuple(fc.constant('*'), fc.oneof(part(0, 6), fc.constantFrom('MON-FRI', 'SUN', 'tue,thu'))),
    fc.tuple(list(part(1, 28)), list(part(0, 6))),
    fc.tuple(fc.constant('*'), fc.constantFrom('0,7', 'SUN,0,sun', '5-7,0', '1-3,MON')),
    fc.tuple(fc.constantFrom('*/1', '*/2', '*/3,5', '*,1'), list(part(0, 6))),
    fc.tuple(list(part(1, 28)), fc.constantFrom('*/1', '*/2', '*/7')),
    fc.tuple(fc.constantFrom('*/2', '*/5'), fc.constantFrom('*/2', '*/3')),
  );
  const month = fc.oneof({ weight: 4, arbitrary: fc.constant('*') }, { weight: 1, arbitrary: list(part(1, 12)) });
  return fc
    .tuple(fc.option(field(0, 59), { nil: '' }), field(0, 59), field(0, 23), day, month)
    .map(([second, minute, hour, [date, weekday], months]) =>
      `${second} ${minute} ${hour} ${date} ${months} ${weekday}`.trim(),
    );
}

const anyZone = fc.constantFrom(
  ...(['UTC', 'Europe/Berlin', 'America/New_York', 'America/Santiago', 'Asia/Kathmandu', 'Africa/Casablanca'] as const),
  // Zones with half an hour of daylight saving time, a gap at midnight, and the largest offsets.
  ...(['Australia/Lord_Howe', 'Africa/Cairo', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Europe/Dublin'] as const),
);

/** Times within 18 years; half of them are near a daylight saving time change of one of the zones. */
const anyTime = fc.oneof(
  fc.integer({ min: Date.UTC(2018), max: Date.UTC(2036) }).map((millis) => new Date(millis)),
  fc
    .tuple(
      fc.constantFrom('2026-03-08', '2026-03-29', '2026-04-05', '2026-04-24', '2026-09-06', '2026-10-25', '2026-11-01'),
      fc.integer({ min: -2000, max: 2500 }),
    )
    .map(([day, minutes]) => new Date(Date.parse(`${day}T00:00:00Z`) + minutes * 60_000)),
);

describe('instantsAfter', () => {
  const notes = (schedule: string, zone: string, after: string): string[] =>
    firstOf(schedule, zone, new Date(after), 3).map(({ at, note }) => `${at.toISOString().slice(0, 16)} ${note}`);

  it('notes instants that daylight saving time moves or repeats', () => {
    expect(notes('30 2 * * *', 'Europe/Berlin', '2026-03-27T12:00:00Z')).toEqual([
      '2026-03-28T01:30 null',
      '2026-03-30T00:30 moved_by_gap',
      '2026-03-31T00:30 null',
    ]);
    expect(notes('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z')).toEqual([
      '2026-10-25T00:30 once_in_overlap',
      '2026-10-26T01:30 null',
      '2026-10-27T01:30 null',
    ]);
  });

  it('ends if a schedule has no dates', () => {
    expect([...instantsAfter('0 0 */31 * 1#2', 'UTC', new Date('2026-01-01T00:00:00Z'))]).toEqual([]);
  });
});

describe('dueInstants', () => {
  const job = {
    ...({ enabled: true, trigger_type: 'cron', cron_schedule: '* * * * *', cron_timezone: 'UTC' } as const),
    next_execution_at: new Date('2026-01-01T00:00:00Z'),
  };
  const minutes = (times: readonly (Date | null)[]): (number | null)[] =>
    times.map((time) => (time === null ? null : (time.getTime() - Date.UTC(2026)) / 60_000));
  const due = (at: string, windowSeconds: number): unknown => {
    const found = dueInstants(job, new Date(`2026-01-01T${at}Z`), windowSeconds * 1000);
    return [minutes([found.missed]), minutes(found.due), minutes([found.next])];
  };

  it('are those from the stored next time to now', () => {
    expect(due('00:00:00', 60)).toEqual([[null], [0], [1]]);
    expect(due('00:02:59.999', 3600)).toEqual([[null], [0, 1, 2], [3]]);
    expect(dueInstants(job, new Date('2025-12-31T23:59:59.999Z'), 60_000)).toEqual({
      missed: null,
      due: [],
      next: job.next_execution_at,
    });
  });

  it('begin at the catch-up window, and include the first instant that was missed', () => {
    expect(due('00:10:00', 60)).toEqual([[0], [9, 10], [11]]);
    expect(due('00:10:00.001', 60)).toEqual([[0], [10], [11]]);
    expect(due('00:10:30', 0)).toEqual([[0], [], [11]]);
  });

  it('are at most a hundred in one step', () => {
    const [missed, found, next] = due('05:00:00', 86_400) as number[][];
    expect([missed, found?.length, found?.[0], next]).toEqual([[null], 100, 0, [100]]);
  });
});

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
