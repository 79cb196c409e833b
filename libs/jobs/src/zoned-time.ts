import { LRUCache } from 'lru-cache';

/** Making a formatter is slow, keeping all of them is large. */
const formatters = new LRUCache<string, Intl.DateTimeFormat>({ max: 100 });
const DAY_MS = 86_400_000;

/** Whether this is the name of a zone of the IANA time zone database, in any case. */
export function isTimeZone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && formatterOf(name) !== undefined;
  } catch {
    return false;
  }
}

/**
 * What the wall clock shows in `zone` at `instant` (milliseconds since the Unix epoch), as the milliseconds at which a
 * clock in UTC shows the same. Wall times are always in this form.
 */
export function wallTimeAt(instant: number, zone: string): number {
  return instant + offsetAt(instant, zone);
}

/** The first instant at which the clock in `zone` shows `wall`; `undefined` when it is put forward over it. */
export function firstInstantAt(wall: number, zone: string): number | undefined {
  const offsets = [offsetAt(wall - DAY_MS, zone), offsetAt(wall + DAY_MS, zone)];
  const instants = offsets.map((offset) => wall - offset).filter((instant) => wallTimeAt(instant, zone) === wall);
  return instants.length === 0 ? undefined : Math.min(...instants);
}

function offsetAt(instant: number, zone: string): number {
  const shown: Record<string, number> = {};
  for (const { type, value } of formatterOf(zone).formatToParts(instant)) shown[type] = Number(value);
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = shown;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000;
}

function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formatters.set(zone, made);
  return made;
}
