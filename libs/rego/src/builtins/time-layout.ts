import { BuiltinError } from './types.js';

/** A moment in some time zone. */
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
  zone: string;
}

const MONTHS = [
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

/** Elements of Go's reference time, longest first where one begins another. */
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

interface Piece {
  readonly text: string;
  readonly isElement: boolean;
}

function pieces(layout: string): Piece[] {
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

function isLeap(year: number): boolean {
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

export function formatTime(time: CivilTime, layout: string): string {
  return pieces(layout)
    .map(({ text, isElement }) => (isElement ? formatElement(time, text) : text))
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
    case 'MST':
      return time.zone;
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

/** Reads `value` by `layout`; what the layout leaves out is the start of year 0 in UTC. */
export function parseTime(layout: string, value: string): CivilTime {
  return new TimeReader(layout, value).read();
}

class TimeReader {
  private rest: string;
  private afternoon: boolean | undefined;
  private yearDay: number | undefined;
  private readonly time: CivilTime = {
    year: 0,
    month: 1,
    day: 1,
    hour: 0,
    minute: 0,
    second: 0,
    nanosecond: 0,
    offset: 0,
    zone: 'UTC',
  };

  constructor(
    private readonly layout: string,
    private readonly value: string,
  ) {
    this.rest = value;
  }

  read(): CivilTime {
    const list = pieces(this.layout);
    list.forEach((piece, at) => {
      if (piece.isElement) this.element(piece.text, list[at + 1]);
      else this.literal(piece.text);
    });
    if (this.rest !== '') this.fail(`: extra text: ${JSON.stringify(this.rest)}`);
    this.finish();
    return this.time;
  }

  private fail(detail = ''): never {
    throw new BuiltinError(
      `parsing time ${JSON.stringify(this.value)} as ${JSON.stringify(this.layout)}: cannot parse ${JSON.stringify(this.rest)}${detail}`,
    );
  }

  private literal(text: string): void {
    if (!this.rest.startsWith(text)) this.fail(` as ${JSON.stringify(text)}`);
    this.rest = this.rest.slice(text.length);
  }

  private take(pattern: RegExp): string {
    const match = pattern.exec(this.rest);
    if (match === null) this.fail();
    this.rest = this.rest.slice(match[0].length);
    return match[1] ?? match[0];
  }

  private number(pattern: RegExp): number {
    return Number(this.take(pattern));
  }

  private name(names: readonly string[], short: boolean): number {
    const at = names.findIndex((name) =>
      this.rest.toLowerCase().startsWith((short ? name.slice(0, 3) : name).toLowerCase()),
    );
    if (at < 0) this.fail();
    this.rest = this.rest.slice(short ? 3 : (names[at] ?? '').length);
    return at;
  }

  private element(element: string, next: Piece | undefined): void {
    const { time } = this;
    switch (element) {
      case 'January':
      case 'Jan':
        time.month = this.name(MONTHS, element === 'Jan') + 1;
        break;
      case 'Monday':
      case 'Mon':
        this.name(WEEKDAYS, element === 'Mon');
        break;
      case '1':
        time.month = this.number(/^\d{1,2}/);
        break;
      case '01':
        time.month = this.number(/^\d{2}/);
        break;
      case '2':
      case '_2':
        time.day = this.number(/^ ?(\d{1,2})/);
        break;
      case '02':
        time.day = this.number(/^\d{2}/);
        break;
      case '__2':
      case '002':
        this.yearDay = this.number(element === '002' ? /^\d{3}/ : /^ {0,2}(\d{1,3})/);
        break;
      case '15':
        time.hour = this.number(/^\d{1,2}/);
        break;
      case '3':
      case '03':
        time.hour = this.number(element === '3' ? /^\d{1,2}/ : /^\d{2}/);
        break;
      case '4':
      case '04':
        time.minute = this.number(element === '4' ? /^\d{1,2}/ : /^\d{2}/);
        break;
      case '5':
      case '05':
        time.second = this.number(element === '5' ? /^\d{1,2}/ : /^\d{2}/);
        if (next === undefined || !/^[.,][09]/.test(next.text)) this.optionalFraction();
        break;
      default:
        this.other(element);
    }
  }

  private other(element: string): void {
    const { time } = this;
    if (element === '2006') time.year = this.number(/^\d{4}/);
    else if (element === '06') {
      const year = this.number(/^\d{2}/);
      time.year = year >= 69 ? 1900 + year : 2000 + year;
    } else if (element === 'PM' || element === 'pm') this.afternoon = /^p/i.test(this.take(/^[AaPp][Mm]/));
    else if (element === 'MST') time.zone = this.take(/^[A-Z]{3,5}|^[+-]\d{2}/);
    else if (/^[.,]/.test(element)) {
      if (element[1] === '9') this.optionalFraction();
      else time.nanosecond = fraction(this.take(new RegExp(`^[.,](\\d{${element.length - 1}})`)));
    } else this.offset(element);
  }

  private optionalFraction(): void {
    if (/^[.,]\d/.test(this.rest)) this.time.nanosecond = fraction(this.take(/^[.,](\d+)/));
  }

  private offset(element: string): void {
    if (element.startsWith('Z') && this.rest.startsWith('Z')) {
      this.rest = this.rest.slice(1);
      return;
    }
    const shape = element.slice(1).replaceAll(/\d\d/g, '(\\d{2})');
    const match = new RegExp(`^([+-])${shape}`).exec(this.rest);
    if (match === null) this.fail();
    this.rest = this.rest.slice(match[0].length);
    const [, sign, hours = '0', minutes = '0', seconds = '0'] = match;
    if (Number(hours) > 24 || Number(minutes) > 59) this.fail(': time zone offset out of range');
    this.time.offset = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * (sign === '-' ? -1 : 1);
  }

  private finish(): void {
    const { time } = this;
    if (this.afternoon === true && time.hour < 12) time.hour += 12;
    if (this.afternoon === false && time.hour === 12) time.hour = 0;
    const range = (ok: boolean, what: string): void => {
      if (!ok) throw new BuiltinError(`parsing time ${JSON.stringify(this.value)}: ${what} out of range`);
    };
    range(time.month >= 1 && time.month <= 12, 'month');
    range(time.hour < 24, 'hour');
    range(time.minute < 60, 'minute');
    range(time.second < 60, 'second');
    if (this.yearDay !== undefined) {
      range(this.yearDay >= 1 && this.yearDay <= (isLeap(time.year) ? 366 : 365), 'day-of-year');
      const date = new Date(Date.UTC(isLeap(time.year) ? 2000 : 2001, 0, this.yearDay));
      time.month = date.getUTCMonth() + 1;
      time.day = date.getUTCDate();
    }
    const days = time.month === 2 ? (isLeap(time.year) ? 29 : 28) : [4, 6, 9, 11].includes(time.month) ? 30 : 31;
    range(time.day >= 1 && time.day <= days, 'day');
  }
}

function fraction(digits: string): number {
  return Number(digits.slice(0, 9).padEnd(9, '0'));
}
