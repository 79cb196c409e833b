import { isLeap, MONTHS, pieces, WEEKDAYS } from './time-layout.js';
import type { CivilTime, Piece } from './time-layout.js';
import { BuiltinError } from './types.js';

/**
 * Parses `value` according to `layout`, like Go. Elements that the layout does not contain are those of the start of
 * year 0 in UTC.
 */
export function parseTime(layout: string, value: string): CivilTime {
  return new TimeReader(layout, value).read();
}

/** Length of the longest names, September and Wednesday. */
const LONGEST_NAME = 9;

/** The text does not match the element of the layout. */
class Misfit extends Error {}

class TimeReader {
  private rest: string;
  private afternoon: boolean | undefined;
  private month: number | undefined;
  private day: number | undefined;
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
  };

  constructor(
    private readonly layout: string,
    private readonly value: string,
  ) {
    this.rest = value;
  }

  read(): CivilTime {
    const list = pieces(this.layout);
    list.forEach((piece, at) => this.piece(piece, list[at + 1]));
    if (this.rest !== '') this.fault(`extra text: ${quote(this.rest)}`);
    this.finish();
    return this.time;
  }

  private piece({ text, isElement }: Piece, next: Piece | undefined): void {
    const hold = this.rest;
    try {
      if (isElement) this.element(text, next);
      else this.literal(text);
    } catch (error) {
      if (!(error instanceof Misfit)) throw error;
      const found = quote(isElement ? hold : this.rest);
      throw new BuiltinError(
        `parsing time ${quote(this.value)} as ${quote(this.layout)}: cannot parse ${found} as ${quote(text)}`,
      );
    }
  }

  private fault(detail: string): never {
    throw new BuiltinError(`parsing time ${quote(this.value)}: ${detail}`);
  }

  private range(ok: boolean, what: string): void {
    if (!ok) this.fault(`${what} out of range`);
  }

  /** Reads literal text. Spaces match any number of spaces, and none at the end of the text. */
  private literal(text: string): void {
    for (const part of text.match(/ +|[^ ]+/g) ?? []) {
      if (part.startsWith(' ')) {
        if (this.rest !== '' && !this.rest.startsWith(' ')) throw new Misfit();
        this.rest = this.rest.replace(/^ +/, '');
        continue;
      }
      for (const char of part) {
        if (!this.rest.startsWith(char)) throw new Misfit();
        this.rest = this.rest.slice(char.length);
      }
    }
  }

  private take(pattern: RegExp): string {
    const match = pattern.exec(this.rest);
    if (match === null) throw new Misfit();
    this.rest = this.rest.slice(match[0].length);
    return match[1] ?? match[0];
  }

  private number(pattern: RegExp): number {
    return Number(this.take(pattern));
  }

  private name(names: readonly string[], short: boolean): number {
    const start = this.rest.slice(0, LONGEST_NAME).toLowerCase();
    const at = names.findIndex((name) => start.startsWith((short ? name.slice(0, 3) : name).toLowerCase()));
    if (at < 0) throw new Misfit();
    this.rest = this.rest.slice(short ? 3 : (names[at] ?? '').length);
    return at;
  }

  private element(element: string, next: Piece | undefined): void {
    const { time } = this;
    switch (element) {
      case 'January':
      case 'Jan':
        this.month = this.name(MONTHS, element === 'Jan') + 1;
        break;
      case 'Monday':
      case 'Mon':
        this.name(WEEKDAYS, element === 'Mon');
        break;
      case '1':
      case '01':
        this.month = this.number(element === '1' ? /^\d{1,2}/ : /^\d{2}/);
        this.range(this.month >= 1 && this.month <= 12, 'month');
        break;
      case '2':
      case '_2':
      case '02':
        this.day = this.number(element === '2' ? /^\d{1,2}/ : element === '02' ? /^\d{2}/ : /^ ?(\d{1,2})/);
        break;
      case '__2':
      case '002':
        this.yearDay = this.number(element === '002' ? /^\d{3}/ : /^ {0,2}(\d{1,3})/);
        break;
      case '15':
        time.hour = this.number(/^\d{1,2}/);
        this.range(time.hour < 24, 'hour');
        break;
      case '3':
      case '03':
        time.hour = this.number(element === '3' ? /^\d{1,2}/ : /^\d{2}/);
        this.range(time.hour <= 12, 'hour');
        break;
      case '4':
      case '04':
        time.minute = this.number(element === '4' ? /^\d{1,2}/ : /^\d{2}/);
        this.range(time.minute < 60, 'minute');
        break;
      case '5':
      case '05':
        time.second = this.number(element === '5' ? /^\d{1,2}/ : /^\d{2}/);
        this.range(time.second < 60, 'second');
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
    } else if (element === 'PM') this.afternoon = this.take(/^[AP]M/) === 'PM';
    else if (element === 'pm') this.afternoon = this.take(/^[ap]m/) === 'pm';
    else if (element === 'MST') this.zoneName();
    else if (/^[.,]/.test(element)) {
      if (element[1] === '9') this.optionalFraction();
      else time.nanosecond = fraction(this.take(new RegExp(`^[.,](\\d{${element.length - 1}})`)));
    } else this.offset(element);
  }

  private optionalFraction(): void {
    if (/^[.,]\d/.test(this.rest)) this.time.nanosecond = fraction(this.take(/^[.,](\d+)/));
  }

  /**
   * Reads the name of a zone: three letters, four or five letters that end with T, or some further names. Only names
   * that begin with GMT contain an offset.
   */
  private zoneName(): void {
    const [word = ''] = /^[A-Z]*/.exec(this.rest) ?? [];
    if (this.rest.startsWith('UTC')) this.take(/^UTC/);
    else if (/^(?:ChST|MeST)/.test(this.rest)) this.take(/^..../);
    else if (word.startsWith('GMT')) {
      this.time.offset = Number(this.take(/^GMT([+-](?:1\d|2[0-3]|\d)(?!\d)|)/)) * 3600;
    } else if (/^[+-]/.test(this.rest)) this.take(/^[+-](?:[01]\d|2[0-3]|\d)(?!\d)/);
    else if (/^(?:[A-Z]{3}|[A-Z]{3,4}T|WITA)$/.test(word)) this.take(/^[A-Z]+/);
    else throw new Misfit();
  }

  private offset(element: string): void {
    if (element.startsWith('Z') && this.rest.startsWith('Z')) {
      this.rest = this.rest.slice(1);
      return;
    }
    const shape = element.slice(1).replaceAll(/\d\d/g, '(\\d{2})');
    const match = new RegExp(`^([+-])${shape}`).exec(this.rest);
    if (match === null) throw new Misfit();
    this.rest = this.rest.slice(match[0].length);
    const [hours, minutes, seconds] = [match[2], match[3], match[4]].map((part) => Number(part ?? 0)) as [
      number,
      number,
      number,
    ];
    this.range(hours <= 24, 'time zone offset hour');
    this.range(minutes <= 60, 'time zone offset minute');
    this.range(seconds <= 60, 'time zone offset second');
    this.time.offset = (hours * 3600 + minutes * 60 + seconds) * (match[1] === '-' ? -1 : 1);
  }

  private finish(): void {
    const { time } = this;
    if (this.afternoon === true && time.hour < 12) time.hour += 12;
    if (this.afternoon === false && time.hour === 12) time.hour = 0;
    time.month = this.month ?? 1;
    time.day = this.day ?? 1;
    if (this.yearDay !== undefined) this.fromYearDay(this.yearDay);
    const days = time.month === 2 ? (isLeap(time.year) ? 29 : 28) : [4, 6, 9, 11].includes(time.month) ? 30 : 31;
    this.range(time.day >= 1 && time.day <= days, 'day');
  }

  private fromYearDay(yearDay: number): void {
    const { time } = this;
    this.range(yearDay >= 1 && yearDay <= (isLeap(time.year) ? 366 : 365), 'day-of-year');
    const date = new Date(Date.UTC(isLeap(time.year) ? 2000 : 2001, 0, yearDay));
    time.month = date.getUTCMonth() + 1;
    time.day = date.getUTCDate();
    if (this.month !== undefined && this.month !== time.month) this.fault('day-of-year does not match month');
    if (this.day !== undefined && this.day !== time.day) this.fault('day-of-year does not match day');
  }
}

function fraction(digits: string): number {
  return Number(digits.slice(0, 9).padEnd(9, '0'));
}

/** Quotes a text for a message. Characters outside ASCII are escaped byte by byte. */
function quote(text: string): string {
  const escaped = text
    .replace(/["\\]/g, '\\$&')
    .replace(/[^ -~]/gu, (char) =>
      [...Buffer.from(char)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''),
    );
  return `"${escaped}"`;
}
