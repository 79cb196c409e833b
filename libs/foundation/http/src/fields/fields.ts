import { ExactNumber, isUuid } from '@app/kernel';
import {
  field,
  isDict,
  redeclarable,
  setKeysWithEffect,
  type Check,
  type FieldOptions,
  type KeyTree,
  type Shape,
} from './field.js';

const isString: Check = {
  type: 'string_type',
  message: 'Input should be a valid string',
  passes: (value) => typeof value === 'string',
};

/** Returns a check on the content of a string. It accepts values of other types, which `isString` reports. */
function ofString(type: Check['type'], message: string, passes: (value: string) => boolean): Check {
  return { type, message, passes: (value) => typeof value !== 'string' || passes(value) };
}

function ofNumber(type: Check['type'], message: string, passes: (value: number) => boolean): Check {
  return { type, message, passes: (value) => typeof value !== 'number' || passes(value) };
}

/** Rejects a number that no double represents: as the value of the field, it would be rounded. */
const isRepresentable: Check = {
  type: 'value_error',
  message: 'Number should not have more digits than a 64-bit floating-point number holds',
  passes: (value) => !(value instanceof ExactNumber),
};

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

export interface StringOptions extends FieldOptions {
  readonly minLength?: number;
  readonly maxLength?: number;
  /**
   * Published unchanged in the OpenAPI document, so it is limited to syntax that regular expressions of every language
   * support: no look-around, no `\p`.
   */
  readonly pattern?: RegExp;
  /** Published in place of a pattern that some languages do not support; it may accept more. */
  readonly publishedPattern?: RegExp;
  /** What the pattern requires, in words: "lowercase letters, digits, - and _". */
  readonly patternMeans?: string;
}

/** Text, kept exactly as sent. A required text has at least one character unless `minLength` is given. */
export function StringField(options: StringOptions = {}): PropertyDecorator {
  return redeclarable(options, stringField);
}

function stringField(options: StringOptions): PropertyDecorator {
  const { maxLength, pattern } = options;
  const minLength = options.minLength ?? (options.required === true ? 1 : undefined);
  const checks = [isString];
  if (minLength !== undefined) {
    const message = `String should have at least ${plural(minLength, 'character')}`;
    checks.push(ofString('string_too_short', message, (value) => [...value].length >= minLength));
  }
  if (maxLength !== undefined) checks.push(lengthCheck(maxLength));
  if (pattern !== undefined) {
    const message = `String should consist of ${options.patternMeans ?? `text that matches ${pattern.source}`}`;
    checks.push(ofString('string_pattern_mismatch', message, (value) => pattern.test(value)));
  }
  const shape = {
    type: 'string' as const,
    ...(minLength === undefined ? {} : { minLength }),
    ...(maxLength === undefined ? {} : { maxLength }),
    ...publishedPattern(options),
  };
  return field(options, shape, checks);
}

function lengthCheck(maxLength: number): Check {
  const message = `String should have at most ${plural(maxLength, 'character')}`;
  return ofString('string_too_long', message, (value) => [...value].length <= maxLength);
}

/** Syntax of JavaScript's regular expressions that other languages lack or interpret differently. */
const UNPORTABLE_SYNTAX = /\(\?(?!:)|\[\^?\]|\\[pPk0-9]/;

function publishedPattern({ pattern, publishedPattern: published = pattern }: StringOptions): { pattern?: string } {
  if (published === undefined) return {};
  if (UNPORTABLE_SYNTAX.test(published.source))
    throw new Error(`The pattern ${published.source} is not supported in every language`);
  return { pattern: published.source };
}

export function EnumField(
  values: readonly string[],
  options: FieldOptions & { readonly anyCase?: boolean } = {},
): PropertyDecorator {
  const named = values.map((value) => `'${value}'`);
  const message = `Input should be ${named.length > 1 ? `${named.slice(0, -1).join(', ')} or ${named.at(-1)}` : named[0]}`;
  const lower = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() : value);
  return field(
    options,
    { type: 'string', enum: [...values] },
    [isString, ofString('enum', message, (value) => values.includes(value))],
    options.anyCase === true ? lower : undefined,
  );
}

export function UuidField(options: FieldOptions = {}): PropertyDecorator {
  return field(options, { type: 'string', format: 'uuid' }, [
    isString,
    ofString('uuid_parsing', 'Input should be a valid UUID', isUuid),
  ]);
}

const RFC3339 = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/i;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** An ISO 8601 date-time, converted to a Date; without an offset it is UTC. */
export function TimeField(options: FieldOptions = {}): PropertyDecorator {
  const valid = (value: unknown): boolean => value instanceof Date && !Number.isNaN(value.getTime());
  return field(
    options,
    { type: 'string', format: 'date-time' },
    [{ type: 'datetime_parsing', message: 'Input should be a valid ISO 8601 date-time', passes: valid }],
    parseTime,
  );
}

function parseTime(value: unknown): unknown {
  if (typeof value !== 'string' || !(RFC3339.test(value) || DAY.test(value)) || !isDay(value.slice(0, 10)))
    return value;
  const zoned = /(Z|[+-]\d{2}:?\d{2})$/i.test(value) || DAY.test(value);
  return new Date(zoned ? value.replace(' ', 'T') : `${value.replace(' ', 'T')}Z`);
}

/** Returns whether the day exists in the calendar: `Date` converts February 31 to a day in March. */
function isDay(day: string): boolean {
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

export interface NumberOptions extends FieldOptions {
  readonly min?: number;
  readonly max?: number;
}

const INT32 = { min: -2_147_483_648, max: 2_147_483_647 };

/** A whole number, within 32 bits unless bounds are given. */
export function IntegerField(options: NumberOptions = {}): PropertyDecorator {
  return field(options, { type: 'integer', ...bounds(options) }, [isInteger, isRepresentable, ...rangeChecks(options)]);
}

/** An integer in a query string, where numbers arrive as text. */
export function QueryIntegerField(options: NumberOptions = {}): PropertyDecorator {
  const parse = (value: unknown): unknown =>
    typeof value === 'string' && /^[+-]?\d+$/.test(value) ? Number(value) : value;
  const parsed: Check = {
    type: 'int_parsing',
    message: 'Input should be a valid integer, unable to parse string as an integer',
    passes: (value) => typeof value === 'number',
  };
  return field(
    { empty: 'keep', ...options },
    { type: 'integer', ...bounds(options) },
    [parsed, ...rangeChecks(options)],
    parse,
  );
}

const isInteger: Check = {
  type: 'int_type',
  message: 'Input should be a valid integer',
  passes: (value) => Number.isInteger(value) || value instanceof ExactNumber,
};

export function NumberField(options: NumberOptions = {}): PropertyDecorator {
  const isNumber: Check = {
    type: 'float_type',
    message: 'Input should be a valid number',
    passes: (value) => Number.isFinite(value) || value instanceof ExactNumber,
  };
  const { min, max } = options;
  return field(
    options,
    { type: 'number', ...(min === undefined ? {} : { minimum: min }), ...(max === undefined ? {} : { maximum: max }) },
    [
      isNumber,
      isRepresentable,
      ...(min === undefined ? [] : [atLeast(min)]),
      ...(max === undefined ? [] : [atMost(max)]),
    ],
  );
}

function bounds(options: NumberOptions): { minimum: number; maximum: number } {
  return { minimum: options.min ?? INT32.min, maximum: options.max ?? INT32.max };
}

function rangeChecks(options: NumberOptions): Check[] {
  return [atLeast(options.min ?? INT32.min), atMost(options.max ?? INT32.max)];
}

function atLeast(min: number): Check {
  return ofNumber('greater_than_equal', `Input should be greater than or equal to ${min}`, (value) => value >= min);
}

function atMost(max: number): Check {
  return ofNumber('less_than_equal', `Input should be less than or equal to ${max}`, (value) => value <= max);
}

export function BooleanField(options: FieldOptions = {}): PropertyDecorator {
  const isBoolean: Check = {
    type: 'bool_type',
    message: 'Input should be a valid boolean',
    passes: (value) => typeof value === 'boolean',
  };
  return field(options, { type: 'boolean' }, [isBoolean]);
}

/** `true`, `false`, `1` or `0` in a query string, any case. */
export function QueryBooleanField(options: FieldOptions = {}): PropertyDecorator {
  const parse = (value: unknown): unknown => {
    if (typeof value !== 'string') return value;
    const known = { true: true, '1': true, false: false, '0': false } as Record<string, boolean>;
    return known[value.toLowerCase()] ?? value;
  };
  const parsed: Check = {
    type: 'bool_parsing',
    message: 'Input should be a valid boolean, unable to interpret input',
    passes: (value) => typeof value === 'boolean',
  };
  return field({ empty: 'keep', ...options }, { type: 'boolean' }, [parsed], parse);
}

export interface QueryListOptions extends FieldOptions {
  readonly maxItems?: number;
  /** The allowed items. Default: all texts. */
  readonly values?: readonly string[];
  readonly anyCase?: boolean;
}

/** Texts in a query string, separated by commas. Absent if the text is empty. */
export function QueryListField({ values, anyCase = false, maxItems, ...options }: QueryListOptions): PropertyDecorator {
  const parse = (value: unknown): unknown =>
    typeof value === 'string' ? (anyCase ? value.toLowerCase() : value).split(',') : value;
  const parsed: Check = { type: 'string_type', message: isString.message, passes: Array.isArray };
  const known: Check = {
    type: 'enum',
    message: `Input should be a list of ${values?.join(', ')}, separated by commas`,
    passes: (value) => !Array.isArray(value) || value.every((item) => values?.includes(item as string)),
  };
  const checks = [parsed, ...limitCheck(maxItems), ...(values === undefined ? [] : [known])];
  return field({ empty: 'keep', ...options }, { type: 'string' }, checks, parse);
}

export interface ObjectOptions extends FieldOptions {
  /** The keys that have an effect. `X-Ignored-Fields` names the others; they are stored too. Default: every key. */
  readonly keysWithEffect?: readonly string[] | KeyTree;
  /** Maximum size as JSON, in bytes of UTF-8. Default: that of the body. */
  readonly maxBytes?: number;
}

/** A free-form JSON object, stored and returned unchanged. */
export function ObjectField(options: ObjectOptions = {}): PropertyDecorator {
  return redeclarable(options, objectField);
}

function objectField({ keysWithEffect, maxBytes, ...options }: ObjectOptions): PropertyDecorator {
  return (target, property) => {
    field(options, { type: 'object', additionalProperties: true }, [isDict, ...sizeCheck(maxBytes)])(target, property);
    if (keysWithEffect !== undefined) setKeysWithEffect(target, property, treeOf(keysWithEffect));
  };
}

function treeOf(keys: readonly string[] | KeyTree): KeyTree {
  return isKeyList(keys) ? Object.fromEntries(keys.map((key) => [key, true])) : keys;
}

function isKeyList(keys: readonly string[] | KeyTree): keys is readonly string[] {
  return Array.isArray(keys);
}

/**
 * Returns the check of the maximum size, for objects of which a request reads many: with the limit of the body alone,
 * they could fill the memory of the process.
 */
export function sizeCheck(maxBytes: number | undefined): Check[] {
  if (maxBytes === undefined) return [];
  return [
    {
      type: 'too_long',
      message: `Object should have at most ${maxBytes} bytes of JSON`,
      passes: (value) => !isDict.passes(value) || Buffer.byteLength(JSON.stringify(value)) <= maxBytes,
    },
  ];
}

/** Any JSON value, kept unchanged. */
export function AnyField(options: FieldOptions = {}): PropertyDecorator {
  const anything = ['string', 'number', 'boolean', 'object', 'array'] as const;
  return field(options, { oneOf: anything.map((type) => (type === 'array' ? { type, items: {} } : { type })) }, []);
}

const isList: Check = { type: 'list_type', message: 'Input should be a valid list', passes: Array.isArray };

export interface ListOptions extends FieldOptions {
  readonly maxItems?: number;
}

type Items = NonNullable<Shape['items']>;

/** The base of the list fields. `itemChecks`: the checks of one item. */
export function listField(options: ListOptions, items: Items, ...itemChecks: readonly Check[]): PropertyDecorator {
  const { maxItems } = options;
  const checks = [
    isList,
    ...itemChecks.map((check) => ({ ...check, eachItem: true as const })),
    ...limitCheck(maxItems),
  ];
  return field(options, { type: 'array', items, ...itemLimit(maxItems) }, checks);
}

export interface StringListOptions extends ListOptions {
  /** Maximum length of one item. */
  readonly maxItemLength?: number;
}

export function StringListField({ maxItemLength, ...options }: StringListOptions = {}): PropertyDecorator {
  if (maxItemLength === undefined) return listField(options, { type: 'string' }, isString);
  return listField(options, { type: 'string', maxLength: maxItemLength }, isString, lengthCheck(maxItemLength));
}

/** A text, or a list of texts. */
export function StringOrListField(options: FieldOptions = {}): PropertyDecorator {
  const isEither: Check = {
    type: 'string_type',
    message: 'Input should be a valid string or a list of strings',
    passes: (value) => [value].flat().every((item) => isString.passes(item)),
  };
  const shape = {
    oneOf: [{ type: 'string' as const }, { type: 'array' as const, items: { type: 'string' as const } }],
  };
  return field({ empty: 'keep', ...options }, shape, [isEither]);
}

/** A list of free-form JSON objects. */
export function ObjectListField(options: ListOptions = {}): PropertyDecorator {
  return listField(options, { type: 'object', additionalProperties: true }, isDict);
}

function itemLimit(maxItems: number | undefined): { maxItems?: number } {
  return maxItems === undefined ? {} : { maxItems };
}

function limitCheck(maxItems: number | undefined): Check[] {
  if (maxItems === undefined) return [];
  return [
    {
      type: 'too_long',
      message: `List should have at most ${plural(maxItems, 'item')}`,
      passes: (value) => !Array.isArray(value) || value.length <= maxItems,
    },
  ];
}
