import { fromBigInt, isInteger, toBigInt, toDecimal } from '../values/decimal.js';
import { toIntegral } from '../values/arithmetic.js';
import { goQuote } from '../values/text.js';
import { isArray, isNumeric } from '../values/value.js';
import type { Value } from '../values/value.js';
import { intOperand, numberOperand, operandError, stringOperand } from './operands.js';
import { formatTime, NAMED_LAYOUTS, weekday, WEEKDAYS } from './time-layout.js';
import type { CivilTime } from './time-layout.js';
import { parseTime } from './time-parser.js';
import { abbreviationAt, civilAt, instantIn, instantOf } from './time-zones.js';
import { BuiltinError } from './types.js';
import type { BuiltinTable } from './types.js';

const MIN = -(1n << 63n);
const MAX = (1n << 63n) - 1n;

function inRange(nanoseconds: bigint): Value {
  if (nanoseconds < MIN || nanoseconds > MAX) throw new BuiltinError('time outside of valid range');
  return fromBigInt(nanoseconds);
}

interface Moment {
  readonly nanoseconds: bigint;
  readonly zone: string;
  readonly layout: string;
}

/**
 * Reads a number of nanoseconds, or an array of such a number, a zone and (for formatting) a layout. Error messages
 * refer to every operand as operand 1.
 */
function momentOperand(value: Value | undefined): Moment {
  const wanted = 'either number (ns) or [number (ns), string (tz)]';
  const parts = isArray(value) ? value : isNumeric(value) ? [value] : [];
  if (parts.length === 0) throw operandError(1, wanted, value as Value);
  const number = numberOperand(parts, 1);
  const [zone = '', layout = ''] = parts.slice(1, 3).map((text) => stringOperand([text], 1));
  if (!isInteger(number) || toDecimal(number).exponent > 30) throw new BuiltinError('timestamp too big');
  const nanoseconds = toBigInt(toIntegral(number, 'trunc')) ?? 0n;
  if (nanoseconds < MIN || nanoseconds > MAX) throw new BuiltinError('timestamp too big');
  return { nanoseconds, zone, layout };
}

function civilOperand(value: Value | undefined): CivilTime {
  const { nanoseconds, zone } = momentOperand(value);
  return civilAt(nanoseconds, zone);
}

function layoutOf(name: string): string {
  return Object.hasOwn(NAMED_LAYOUTS, name) ? (NAMED_LAYOUTS[name] ?? name) : name;
}

function format(args: readonly Value[]): Value {
  const { nanoseconds, zone, layout } = momentOperand(args[0]);
  const abbreviation = (): string => abbreviationAt(nanoseconds, zone);
  return formatTime(civilAt(nanoseconds, zone), layoutOf(layout === '' ? 'RFC3339Nano' : layout), abbreviation);
}

function addDate(args: readonly Value[]): Value {
  const { nanoseconds, zone } = momentOperand(args[0]);
  const [years, months, days] = [2, 3, 4].map((position) => intOperand(args, position)) as [number, number, number];
  const civil = civilAt(nanoseconds, zone);
  return inRange(
    instantIn({ ...civil, year: civil.year + years, month: civil.month + months, day: civil.day + days }, zone),
  );
}

/** Returns the years, months, days, hours, minutes and seconds between two times, in the zone of the first. */
function difference(args: readonly Value[]): Value {
  const first = momentOperand(args[0]);
  const second = momentOperand(args[1]);
  const [from, to] = first.nanoseconds <= second.nanoseconds ? [first, second] : [second, first];
  const a = civilAt(from.nanoseconds, first.zone);
  const b = civilAt(to.nanoseconds, first.zone);
  let year = b.year - a.year;
  let month = b.month - a.month;
  let day = b.day - a.day;
  let hour = b.hour - a.hour;
  let minute = b.minute - a.minute;
  let seconds = b.second - a.second;
  if (seconds < 0) [seconds, minute] = [seconds + 60, minute - 1];
  if (minute < 0) [minute, hour] = [minute + 60, hour - 1];
  if (hour < 0) [hour, day] = [hour + 24, day - 1];
  if (day < 0) [day, month] = [day + new Date(Date.UTC(a.year, a.month, 0)).getUTCDate(), month - 1];
  if (month < 0) [month, year] = [month + 12, year - 1];
  return [year, month, day, hour, minute, seconds];
}

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** Parses a duration of Go: `1h30m`, `-1.5s`. */
function parseDuration(args: readonly Value[]): Value {
  const text = stringOperand(args, 1);
  const fault = (what: string): BuiltinError => new BuiltinError(`time: ${what} duration ${goQuote(text)}`);
  const sign = text.startsWith('-') ? -1n : 1n;
  let rest = text.replace(/^[+-]/, '');
  if (rest === '0') return 0;
  if (rest === '' || text.length > 200) throw fault('invalid');
  let total = 0n;
  while (rest !== '') {
    const [whole = '', digits = '', fraction = '', name = ''] = /^(\d*)(?:\.(\d*))?([^.\d]*)/.exec(rest) ?? [];
    if (digits + fraction === '') throw fault('invalid');
    if (name === '') throw fault('missing unit in');
    const unit = Object.hasOwn(UNITS, name) ? UNITS[name] : undefined;
    if (unit === undefined) throw fault(`unknown unit ${goQuote(name)} in`);
    total += BigInt(digits) * unit;
    if (fraction !== '') total += (BigInt(fraction) * unit) / 10n ** BigInt(fraction.length);
    rest = rest.slice(whole.length);
  }
  if (sign * total > MAX || sign * total < MIN) throw fault('invalid');
  return fromBigInt(sign * total);
}

export const timeBuiltins: BuiltinTable = {
  'time.now_ns': { arity: 0, call: (_, run) => fromBigInt(run.now) },
  'time.parse_ns': {
    arity: 2,
    call: (args) => inRange(instantOf(parseTime(layoutOf(stringOperand(args, 1)), stringOperand(args, 2)))),
  },
  'time.parse_rfc3339_ns': {
    arity: 1,
    call: (args) => inRange(instantOf(parseTime(layoutOf('RFC3339'), stringOperand(args, 1)))),
  },
  'time.parse_duration_ns': { arity: 1, call: parseDuration },
  'time.date': { arity: 1, call: (args) => (({ year, month, day }) => [year, month, day])(civilOperand(args[0])) },
  'time.clock': {
    arity: 1,
    call: (args) => (({ hour, minute, second }) => [hour, minute, second])(civilOperand(args[0])),
  },
  'time.weekday': { arity: 1, call: (args) => WEEKDAYS[weekday(civilOperand(args[0]))] },
  'time.format': { arity: 1, call: format },
  'time.add_date': { arity: 4, call: addDate },
  'time.diff': { arity: 2, call: difference },
};
