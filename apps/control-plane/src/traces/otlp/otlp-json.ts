import { isJsonObject, type JsonObject } from '@app/kernel';
import {
  MAX_ATTRIBUTE_DEPTH,
  type Attributes,
  type AttributeValue,
  type Received,
  type SentEvent,
  type SentLink,
} from '@app/traces';
import { itemCounter, valueCounter, type DecodingCounter } from './decoding-limits.js';
import { quoteLongIntegers } from './exact-integers.js';
import { emptySpan, scopeAttributes, undecodable, type DecodedSpan } from './received-span.js';

const decoder = new TextDecoder('utf-8', { fatal: true });
const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);
const MAX_COUNT = 2 ** 32 - 1;

/**
 * Decodes an `ExportTraceServiceRequest` in JSON. Names of fields may be in lowerCamelCase or, as in the definition of
 * the protocol, in snake_case. Throws if the request is broken outside its spans; a broken span is a fault of its own.
 */
export function* spansOfJson(bytes: Uint8Array): Generator<Received> {
  const request: unknown = JSON.parse(quoteLongIntegers(decoder.decode(bytes)));
  if (!isJsonObject(request)) throw new Error('the request is not an object');
  const items = itemCounter();
  for (const resourceSpans of objects(request, 'resourceSpans', items)) {
    const resource = { attributes: attributesOf(object(resourceSpans, 'resource'), valueCounter()) };
    for (const scopeSpans of objects(resourceSpans, 'scopeSpans', items)) {
      const scope = scopeOf(object(scopeSpans, 'scope'));
      for (const span of list(scopeSpans, 'spans', items)) {
        try {
          yield { resource, scope, span: spanOf(span) };
        } catch (error) {
          yield undecodable(error);
        }
      }
    }
  }
}

function scopeOf(scope: JsonObject): Attributes {
  return scopeAttributes({
    name: text(scope, 'name'),
    version: text(scope, 'version'),
    attributes: attributesOf(scope, valueCounter()),
  });
}

function spanOf(span: unknown): DecodedSpan {
  if (!isJsonObject(span)) throw new Error('the span is not an object');
  const status = object(span, 'status');
  const values = valueCounter();
  return {
    ...emptySpan(),
    trace_id: text(span, 'traceId').toLowerCase(),
    span_id: text(span, 'spanId').toLowerCase(),
    parent_span_id: text(span, 'parentSpanId').toLowerCase(),
    trace_state: text(span, 'traceState'),
    name: text(span, 'name'),
    kind: enumeration(span, 'kind', KINDS),
    status_code: enumeration(status, 'code', STATUS_CODES),
    status_message: text(status, 'message'),
    start_time_unix_nano: integer(span, 'startTimeUnixNano'),
    end_time_unix_nano: integer(span, 'endTimeUnixNano'),
    attributes: attributesOf(span, values),
    events: objects(span, 'events', values).map((event) => eventOf(event, values)),
    links: objects(span, 'links', values).map((link) => linkOf(link, values)),
    dropped_attributes_count: count(span, 'droppedAttributesCount'),
    dropped_events_count: count(span, 'droppedEventsCount'),
    dropped_links_count: count(span, 'droppedLinksCount'),
  };
}

const KINDS = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'].map(
  (name) => `SPAN_KIND_${name}`,
);
const STATUS_CODES = ['UNSET', 'OK', 'ERROR'].map((name) => `STATUS_CODE_${name}`);

function eventOf(event: JsonObject, values: DecodingCounter): SentEvent {
  return {
    name: text(event, 'name'),
    time_unix_nano: integer(event, 'timeUnixNano'),
    attributes: attributesOf(event, values),
    dropped_attributes_count: count(event, 'droppedAttributesCount'),
  };
}

function linkOf(link: JsonObject, values: DecodingCounter): SentLink {
  return {
    trace_id: text(link, 'traceId').toLowerCase(),
    span_id: text(link, 'spanId').toLowerCase(),
    trace_state: text(link, 'traceState'),
    attributes: attributesOf(link, values),
    dropped_attributes_count: count(link, 'droppedAttributesCount'),
  };
}

/** Returns the attributes of a message. */
function attributesOf(holder: JsonObject, values: DecodingCounter, field = 'attributes', depth = 0): Attributes {
  const entries = objects(holder, field, values);
  return new Map(entries.map((entry) => [text(entry, 'key'), valueOf(object(entry, 'value'), values, depth)]));
}

function valueOf(value: JsonObject, values: DecodingCounter, depth: number): AttributeValue {
  if (depth > MAX_ATTRIBUTE_DEPTH) throw new Error(`an attribute has more than ${MAX_ATTRIBUTE_DEPTH} levels`);
  if (get(value, 'stringValue') !== undefined) return text(value, 'stringValue');
  if (get(value, 'boolValue') !== undefined) return flag(value, 'boolValue');
  if (get(value, 'intValue') !== undefined) return int64(value, 'intValue');
  if (get(value, 'doubleValue') !== undefined) return double(value, 'doubleValue');
  if (get(value, 'bytesValue') !== undefined) return text(value, 'bytesValue');
  const map = get(value, 'kvlistValue');
  if (map !== undefined) return attributesOf(object(value, 'kvlistValue'), values, 'values', depth + 1);
  if (get(value, 'arrayValue') === undefined) return null;
  const items = objects(object(value, 'arrayValue'), 'values', values);
  return items.map((item) => valueOf(item, values, depth + 1));
}

/** The snake_case names of fields that were read, because making one takes longer than reading the field. */
const SNAKE_CASE = new Map<string, string>();

function snakeCaseOf(field: string): string {
  const known = SNAKE_CASE.get(field);
  if (known !== undefined) return known;
  const name = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  SNAKE_CASE.set(field, name);
  return name;
}

/** Returns a field by its lowerCamelCase or snake_case name; undefined if it is absent or null. */
function get(holder: JsonObject, field: string): unknown {
  return holder[field] ?? holder[snakeCaseOf(field)] ?? undefined;
}

/** Counts the items before anything is made of them. */
function list(holder: JsonObject, field: string, counter: DecodingCounter): readonly unknown[] {
  const value = get(holder, field) ?? [];
  if (!Array.isArray(value)) throw new Error(`${field} is not a list`);
  counter.add(value.length);
  return value;
}

function objects(holder: JsonObject, field: string, counter: DecodingCounter): readonly JsonObject[] {
  return list(holder, field, counter).map((value) => {
    if (!isJsonObject(value)) throw new Error(`${field} contains something other than objects`);
    return value;
  });
}

function object(holder: JsonObject, field: string): JsonObject {
  const value = get(holder, field) ?? {};
  if (!isJsonObject(value)) throw new Error(`${field} is not an object`);
  return value;
}

function text(holder: JsonObject, field: string): string {
  const value = get(holder, field) ?? '';
  if (typeof value !== 'string') throw new Error(`${field} is not a string`);
  return value;
}

function flag(holder: JsonObject, field: string): boolean {
  const value = get(holder, field);
  if (typeof value !== 'boolean') throw new Error(`${field} is not a boolean`);
  return value;
}

function integer(holder: JsonObject, field: string): bigint {
  const value = get(holder, field) ?? 0;
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (typeof value === 'string' && /^-?\d{1,20}$/.test(value)) return BigInt(value);
  throw new Error(`${field} is not an integer`);
}

function int64(holder: JsonObject, field: string): bigint {
  const value = integer(holder, field);
  if (value > MAX_INT64 || value < MIN_INT64) throw new Error(`${field} has more than 64 bits`);
  return value;
}

function count(holder: JsonObject, field: string): number {
  const value = integer(holder, field);
  if (value < 0n || value > MAX_COUNT) throw new Error(`${field} is not a number from 0 to ${MAX_COUNT}`);
  return Number(value);
}

const SPECIAL_NUMBERS: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
};

function double(holder: JsonObject, field: string): number {
  const value = get(holder, field);
  if (typeof value === 'number') return value;
  const special = typeof value === 'string' ? SPECIAL_NUMBERS[value] : undefined;
  const parsed = special ?? (typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN);
  if (special === undefined && Number.isNaN(parsed)) throw new Error(`${field} is not a number`);
  return parsed;
}

/** Returns the number of a value, which is its number or its name. */
function enumeration(holder: JsonObject, field: string, names: readonly string[]): number {
  const value = get(holder, field) ?? 0;
  if (typeof value === 'number') return value;
  const index = typeof value === 'string' ? names.indexOf(value) : -1;
  if (index < 0) throw new Error(`${field} is not a number or a name of its enumeration`);
  return index;
}
