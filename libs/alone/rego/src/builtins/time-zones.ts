import { BuiltinError } from './types.js';
import type { CivilTime } from './time-layout.js';

const BILLION = 1_000_000_000n;
const formatters = new Map<string, Intl.DateTimeFormat>();

/**
 * Locales in which abbreviations of zones are searched. An abbreviation is known only in the locales of its region:
 * `CET` in Britain, `JST` in Japan.
 */
const LOCALES = ['en-US', 'en-GB', 'en-AU', 'en-IN', 'en-ZA', 'en-CA', 'en-HK', 'en-SG', 'ja-JP', 'id-ID'];

const CIVIL: Intl.DateTimeFormatOptions = {
  hourCycle: 'h23',
  era: 'short',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
};

function formatter(zone: string, locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${zone}`;
  let known = formatters.get(key);
  if (known === undefined) {
    try {
      known = new Intl.DateTimeFormat(locale, { ...options, timeZone: zone });
    } catch {
      throw new BuiltinError(`unknown time zone ${zone}`);
    }
    if (formatters.size > 600) formatters.clear();
    formatters.set(key, known);
  }
  return known;
}

function isUtc(zone: string): boolean {
  return zone === '' || zone === 'UTC' || zone === 'Local';
}

/** Returns the seconds east of UTC at a time in seconds since 1970. */
function offsetAt(zone: string, seconds: number): number {
  if (isUtc(zone)) return 0;
  const parts = new Map(
    formatter(zone, 'en-US-u-ca-gregory', CIVIL)
      .formatToParts(new Date(seconds * 1000))
      .map((part) => [part.type, part.value]),
  );
  const read = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type) ?? 0);
  const date = new Date(0);
  const year = parts.get('era') === 'BC' ? 1 - read('year') : read('year');
  date.setUTCFullYear(year, read('month') - 1, read('day'));
  date.setUTCHours(read('hour'), read('minute'), read('second'));
  return Math.round(date.getTime() / 1000 - seconds);
}

/** Returns the abbreviation of the zone at a time; its offset if it has none. */
export function abbreviationAt(nanoseconds: bigint, zone: string): string {
  if (isUtc(zone)) return 'UTC';
  const date = new Date(Number(nanoseconds / 1_000_000n));
  for (const locale of LOCALES) {
    const parts = formatter(zone, locale, { timeZoneName: 'short' }).formatToParts(date);
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    if (/^[A-Z]+$/i.test(name)) return name;
  }
  const minutes = Math.round(offsetAt(zone, Number(nanoseconds / BILLION)) / 60);
  const [hour, minute] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${minutes < 0 ? '-' : '+'}${hour}${minute === '00' ? '' : minute}`;
}

/**
 * Returns the civil time of `nanoseconds` since 1970. `Local` means UTC, because the result must not depend on the zone
 * of the machine.
 */
export function civilAt(nanoseconds: bigint, zone: string): CivilTime {
  let seconds = nanoseconds / BILLION;
  let nanosecond = nanoseconds % BILLION;
  if (nanosecond < 0n) {
    nanosecond += BILLION;
    seconds -= 1n;
  }
  const offset = offsetAt(zone, Number(seconds));
  const date = new Date((Number(seconds) + offset) * 1000);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    nanosecond: Number(nanosecond),
    offset,
  };
}

function utcSeconds(time: CivilTime): number {
  const date = new Date(0);
  date.setUTCFullYear(time.year, time.month - 1, time.day);
  date.setUTCHours(time.hour, time.minute, time.second);
  return date.getTime() / 1000;
}

/** Returns the nanoseconds since 1970 of a civil time with a known offset. */
export function instantOf(time: CivilTime): bigint {
  const seconds = utcSeconds(time) - time.offset;
  if (!Number.isFinite(seconds)) throw new BuiltinError('time outside of valid range');
  return BigInt(seconds) * BILLION + BigInt(time.nanosecond);
}

/**
 * Returns the nanoseconds since 1970 of a civil time in a zone, whose offset is looked up. Fields out of range are
 * carried over to the next larger field.
 */
export function instantIn(time: CivilTime, zone: string): bigint {
  const local = utcSeconds(time);
  if (!Number.isFinite(local)) throw new BuiltinError('time outside of valid range');
  const offset = offsetAt(zone, local - offsetAt(zone, local));
  return instantOf({ ...time, offset });
}
