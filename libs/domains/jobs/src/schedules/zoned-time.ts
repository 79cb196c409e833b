import { LRUCache } from 'lru-cache';

/** Formatters are slow to create and large, so a limited number of them is cached. */
const formatters = new LRUCache<string, Intl.DateTimeFormat>({ max: 100 });
const DAY_MS = 86_400_000;

/** Returns whether this is the name of an IANA time zone, ignoring case. */
export function isTimeZone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && formatterOf(name) !== undefined;
  } catch {
    return false;
  }
}

/**
 * Returns the wall time in `zone` at `instant`, which is in milliseconds since the Unix epoch. A wall time is a number:
 * the instant at which a clock in UTC shows the same date and time.
 */
export function wallTimeAt(instant: number, zone: string): number {
  return instant + offsetAt(instant, zone);
}

/** Returns the first instant with the wall time `wall` in `zone`; undefined if daylight saving time omits it. */
export function firstInstantAt(wall: number, zone: string): number | undefined {
  return instantsAt(wall, zone)[0];
}

/**
 * Returns the instants with the wall time `wall` in `zone`, in order: none in a gap of daylight saving time, two in an
 * overlap.
 */
export function instantsAt(wall: number, zone: string): readonly number[] {
  const offsets = new Set([offsetAt(wall - DAY_MS, zone), offsetAt(wall + DAY_MS, zone)]);
  const instants = [...offsets].map((offset) => wall - offset);
  return instants.filter((instant) => wallTimeAt(instant, zone) === wall).sort((one, other) => one - other);
}

function offsetAt(instant: number, zone: string): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatterOf(zone).formatToParts(instant)) parts[type] = Number(value);
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000;
}

function formatterOf(zone: string): Intl.DateTimeFormat {
  const cached = formatters.get(zone);
  if (cached !== undefined) return cached;
  const formatter = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formatters.set(zone, formatter);
  return formatter;
}
