import { headOf } from '@app/kernel';
import { CronExpressionParser, type CronExpression } from 'cron-parser';
import { LRUCache } from 'lru-cache';

const DAY_MS = 86_400_000;
/**
 * If both day fields must match, the search ends after this time without a match. Days of the month and days of the week
 * coincide again after at most 40 years, those of 29 February around 2100.
 */
const MAX_GAP_MS = 50 * 366 * DAY_MS;
/** Longer expressions are rejected by the parser. */
const MAX_LENGTH = 1024;
const MAX_REASON_LENGTH = 200;
/** The parser replaces `H` by a random value, a different one on each call. */
const RANDOM_FIELD = /(^|[\s,])H($|[\s,(/])/i;

const FIELDS = ['second', 'minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek'] as const;
const DAY_OF_WEEK = 5;
/** The indexes of the day fields. */
const DAYS = [3, DAY_OF_WEEK] as const;

/** A parsed expression in terms of the parser. */
interface ParsedExpression {
  readonly text: string;
  /** Expressions at midnight, each of which must match the day as well. */
  readonly days: readonly CronExpression[];
}

/** Parsing takes longer than finding the next time. The expressions are never iterated, so they can be shared. */
const parsed = new LRUCache<string, ParsedExpression>({ max: 1000 });

/** Shorthands of cron(8), and the fields that they stand for. */
const SHORTHANDS: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

/** Returns the expression without spaces around it, or the fields for which it is a shorthand. */
export function withoutShorthand(text: string): string {
  const written = text.trim();
  return SHORTHANDS.get(written.toLowerCase()) ?? written;
}

function fieldsOf(text: string): string[] {
  const fields = withoutShorthand(text);
  return fields === '' ? [] : fields.split(/\s+/);
}

const UNKNOWN_SHORTHAND = `the shorthands are ${[...SHORTHANDS.keys()].join(', ')}`;

/** Returns why the text is not a cron expression that matches some date; undefined if it is one. */
export function cronFault(text: string): string | undefined {
  const fields = fieldsOf(text);
  if (fields[0]?.startsWith('@') === true) return UNKNOWN_SHORTHAND;
  if (fields.length !== 5 && fields.length !== 6) return `it has ${fields.length} fields`;
  if (RANDOM_FIELD.test(text)) return 'H is not supported, because it stands for a random value';
  try {
    return cronTimes(text, 0).next().done === true ? 'no date matches' : undefined;
  } catch (error) {
    return headOf((error as Error).message, MAX_REASON_LENGTH);
  }
}

/**
 * Iterates over the times after `after` that an expression of five fields, six with seconds first, or a shorthand
 * matches in UTC; ends if there are no more. Throws the error of the parser for an invalid expression.
 *
 * Days match as in cron(8): if both day fields are restricted, either is enough. A field that begins with `*` is not
 * restricted, even with a step; then both must match.
 */
export function* cronTimes(text: string, after: number): Generator<number, undefined> {
  const { text: schedule, days } = parseExpression(text);
  const times = CronExpressionParser.parse(schedule, { tz: 'UTC', currentDate: new Date(after) });
  let last = after;
  // The iterator ends if the search of the parser fails.
  for (let next = nextOf(times); next !== undefined && next - last <= MAX_GAP_MS; next = nextOf(times)) {
    const midnight = next - modulo(next, DAY_MS);
    if (days.every((day) => day.includesDate(new Date(midnight)))) {
      last = next;
      yield next;
    } else times.reset(new Date(midnight + DAY_MS - 1));
    if (days.length === 0) last = next;
  }
}

function nextOf(times: CronExpression): number | undefined {
  return (times[Symbol.iterator]().next().value as { getTime(): number } | undefined)?.getTime();
}

/** The remainder, which is positive for times before 1970 as well. */
function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}

function parseExpression(text: string): ParsedExpression {
  const cached = parsed.get(text);
  if (cached !== undefined) return cached;
  const expression = text.length > MAX_LENGTH ? { text, days: [] } : expressionOf(fieldsOf(text));
  parsed.set(text, expression);
  return expression;
}

/**
 * The parser combines the day fields with "or" unless one of them is `*`. If one of them begins with `*`, and neither is
 * `*`, each field that begins with `*` is matched by an expression of its own.
 */
function expressionOf(given: readonly string[]): ParsedExpression {
  const fields = (given.length === 5 ? ['0', ...given] : given).map(withoutRepeats);
  const days = DAYS.filter((index) => !isAny(fields[index]));
  const unrestricted = days.length < 2 ? [] : days.filter((index) => /^[*?]/.test(given.at(index - 6) ?? ''));
  return {
    text: fields.map((field, index) => (unrestricted.some((day) => day === index) ? '*' : field)).join(' '),
    days: unrestricted.map((index) => parseField(index, fields[index] ?? '')),
  };
}

function isAny(field: string | undefined): boolean {
  return field === '*' || field === '?';
}

/**
 * Returns the field with each value once: the parser rejects lists that name a value twice. It also reports empty items
 * and lists with `#`, which are returned as they are. Throws the error of the parser for an invalid item.
 */
function withoutRepeats(field: string, index: number): string {
  const items = [...new Set(field.split(','))];
  if (items.includes('') || field.includes('#')) return field;
  if (items.length === 1) return items.join();
  return [...new Set(items.flatMap((item) => valuesOf(index, item)))].join(',');
}

/** Numbers, and forms with `L`. 7 is returned as 0 in days of the week. */
function valuesOf(index: number, item: string): readonly (number | string)[] {
  const { values } = parseField(index, item).fields[FIELDS[index] ?? 'second'];
  return values.map((value) => (index === DAY_OF_WEEK && typeof value === 'number' ? value % 7 : value));
}

/** Parses one field, in an expression that matches midnights. */
function parseField(index: number, field: string): CronExpression {
  return CronExpressionParser.parse(['0', '0', '0', '*', '*', '*'].with(index, field).join(' '), { tz: 'UTC' });
}
