/** A time in a time zone. */
export interface CivilTime {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  nanosecond: number;
  /** Seconds east of UTC. */
  offset: number;
}

export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
export const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** Elements of Go's reference time. If one begins with another, the longer one is first. */
const ELEMENT =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|2006|002|01|02|03|04|05|06|15|__2|_2(?!006)|1|2|3|4|5|PM|pm|[Z-]07:00:00|[Z-]070000|[Z-]07:00|[Z-]0700|[Z-]07|[.,](?:0+|9+)(?!\d)/g;

export const NAMED_LAYOUTS: Readonly<Record<string, string>> = {
  ANSIC: 'Mon Jan _2 15:04:05 2006',
  UnixDate: 'Mon Jan _2 15:04:05 MST 2006',
  RubyDate: 'Mon Jan 02 15:04:05 -0700 2006',
  RFC822: '02 Jan 06 15:04 MST',
  RFC822Z: '02 Jan 06 15:04 -0700',
  RFC850: 'Monday, 02-Jan-06 15:04:05 MST',
  RFC1123: 'Mon, 02 Jan 2006 15:04:05 MST',
  RFC1123Z: 'Mon, 02 Jan 2006 15:04:05 -0700',
  RFC3339: '2006-01-02T15:04:05Z07:00',
  RFC3339Nano: '2006-01-02T15:04:05.999999999Z07:00',
};

/** A part of a layout: text, or an element of the reference time. */
export interface Piece {
  readonly text: string;
  readonly isElement: boolean;
}

export function pieces(layout: string): Piece[] {
  const result: Piece[] = [];
  let at = 0;
  for (const match of layout.matchAll(ELEMENT)) {
    if (match.index > at) result.push({ text: layout.slice(at, match.index), isElement: false });
    result.push({ text: match[0], isElement: true });
    at = match.index + match[0].length;
  }
  if (at < layout.length) result.push({ text: layout.slice(at), isElement: false });
  return result;
}

function dayOfYear(time: CivilTime): number {
  return (
    Math.round((Date.UTC(2000, time.month - 1, time.day) - Date.UTC(2000, 0, 1)) / 86_400_000) +
    1 -
    (isLeap(time.year) || time.month < 3 ? 0 : 1)
  );
}

export function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

export function weekday(time: CivilTime): number {
  const date = new Date(0);
  date.setUTCFullYear(time.year, time.month - 1, time.day);
  return date.getUTCDay();
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** `zone` returns the abbreviation of the time zone, for layouts that contain it. */
export function formatTime(time: CivilTime, layout: string, zone: () => string): string {
  return pieces(layout)
    .map(({ text, isElement }) => (!isElement ? text : text === 'MST' ? zone() : formatElement(time, text)))
    .join('');
}

function formatElement(time: CivilTime, element: string): string {
  const twelve = time.hour % 12 === 0 ? 12 : time.hour % 12;
  switch (element) {
    case 'January':
      return MONTHS[time.month - 1] ?? '';
    case 'Jan':
      return (MONTHS[time.month - 1] ?? '').slice(0, 3);
    case '1':
      return String(time.month);
    case '01':
      return two(time.month);
    case 'Monday':
      return WEEKDAYS[weekday(time)] ?? '';
    case 'Mon':
      return (WEEKDAYS[weekday(time)] ?? '').slice(0, 3);
    case '2':
      return String(time.day);
    case '_2':
      return String(time.day).padStart(2, ' ');
    case '02':
      return two(time.day);
    case '__2':
      return String(dayOfYear(time)).padStart(3, ' ');
    case '002':
      return String(dayOfYear(time)).padStart(3, '0');
    case '15':
      return two(time.hour);
    case '3':
      return String(twelve);
    case '03':
      return two(twelve);
    case '4':
      return String(time.minute);
    case '04':
      return two(time.minute);
    case '5':
      return String(time.second);
    case '05':
      return two(time.second);
    case '2006':
      return String(time.year).padStart(4, '0');
    case '06':
      return two(time.year % 100);
    case 'PM':
      return time.hour >= 12 ? 'PM' : 'AM';
    case 'pm':
      return time.hour >= 12 ? 'pm' : 'am';
    default:
      return /^[.,]/.test(element) ? formatFraction(time.nanosecond, element) : formatOffset(time.offset, element);
  }
}

function formatFraction(nanosecond: number, element: string): string {
  const digits = String(nanosecond)
    .padStart(9, '0')
    .slice(0, element.length - 1)
    .padEnd(element.length - 1, '0');
  if (element[1] === '0') return `${element[0] ?? '.'}${digits}`;
  const trimmed = digits.replace(/0+$/, '');
  return trimmed === '' ? '' : `${element[0] ?? '.'}${trimmed}`;
}

function formatOffset(offset: number, element: string): string {
  if (element.startsWith('Z') && offset === 0) return 'Z';
  const magnitude = Math.abs(offset);
  const hours = two(Math.floor(magnitude / 3600));
  const minutes = two(Math.floor(magnitude / 60) % 60);
  const seconds = two(magnitude % 60);
  const sign = offset < 0 ? '-' : '+';
  const shape = element.slice(1);
  if (shape === '07') return sign + hours;
  const colon = shape.includes(':') ? ':' : '';
  const long = shape.replaceAll(':', '').length > 4;
  return `${sign}${hours}${colon}${minutes}${long ? colon + seconds : ''}`;
}
