import { createHash } from 'node:crypto';
import { toWireTime } from '@app/kernel';
import { attributesText, textOf, type Attributes } from './attributes.js';
import { withCurrentNames } from './earlier-names.js';
import type { Received, SentEvent, SentLink, SentResource, SentSpan } from './sent-span.js';
import { categoryOf } from './span-category.js';
import { usageOf, usageText, type SpanUsage } from './span-usage.js';
import {
  MAX_NANOSECONDS,
  SPAN_KINDS,
  SPAN_STATUS_CODES,
  type SpanCategory,
  type SpanKind,
  type SpanStatusCode,
} from '../trace.types.js';

/** Maximum length of names, states and messages, in characters. */
const MAX_SPAN_TEXT = 4096;
/** Maximum number of attributes of a span, a resource, an event or a link. */
const MAX_ATTRIBUTES = 1000;
/** Maximum size of a span with its attributes, events and links as JSON, in bytes. */
const MAX_SPAN_BYTES = 524_288;

/** Size of what `fields` does not contain, per span of a response. */
const FRAME_BYTES = 300;
const ID_DIGITS = { trace_id: 32, span_id: 16 };
const HEXADECIMAL = /^[0-9a-f]*$/;
const ALL_ZERO = /^0*$/;
/** Few texts contain these characters, so the slower check rarely runs. */
const SUSPICIOUS = /[\u0000\ud800-\udfff]/;
/** NUL, which PostgreSQL's text cannot store, and unpaired surrogates. */
const UNSTORABLE = /\u0000|\p{Surrogate}/u;

/** A resource as it is stored. */
export interface CheckedResource {
  readonly digest: string;
  readonly service_name: string | null;
  readonly attributes: string;
  /** Size of the attributes. */
  readonly bytes: number;
}

/** A span as it is stored, without the columns that its trace determines. */
export interface CheckedSpan {
  readonly trace_id: string;
  readonly span_id: string;
  readonly parent_span_id: string | null;
  readonly name: string;
  readonly kind: SpanKind;
  readonly category: SpanCategory;
  readonly status_code: SpanStatusCode;
  readonly start_time_unix_nano: bigint;
  readonly end_time_unix_nano: bigint | null;
  readonly event_count: number;
  readonly resource: CheckedResource;
  readonly bytes: number;
  /** Null unless the span is a request to a model. */
  readonly usage: SpanUsage | null;
  /**
   * All fields of the span in responses but those that identify it and its resource: the text of a JSON object, whose
   * last field is the usage.
   */
  readonly fields: string;
  /** The execution that the span or its resource names. */
  readonly execution_id: string | null;
}

/** The attribute that relates a span to an execution. */
const EXECUTION_ID = 'execution.id';

/** Checks the spans of one batch. Resources are converted once. */
export class SpanChecker {
  private readonly resources = new Map<SentResource, CheckedResource | string>();
  private readonly receivedAt: string;

  constructor(now: Date) {
    this.receivedAt = toWireTime(now);
  }

  /** Returns the span, or the reason why it is refused. */
  check(received: Received): CheckedSpan | string {
    if ('fault' in received) return received.fault;
    const { span, scope } = received;
    const fault = faultOf(span);
    if (fault !== undefined) return fault;
    const resource = this.resourceOf(received.resource);
    if (typeof resource === 'string') return resource;
    const { name, parent_span_id, end_time_unix_nano: end } = span;
    const kind = SPAN_KINDS[Math.max(0, span.kind - 1)] ?? 'INTERNAL';
    const status_code = SPAN_STATUS_CODES[span.status_code] ?? 'UNSET';
    const named = withCurrentNames(span.attributes);
    const category = categoryOf(named);
    const usage = usageOf(named);
    const attributes = attributesOf(named, scope);
    const fields = fieldsText(span, { kind, status_code, category, usage, attributes, created_at: this.receivedAt });
    const bytes = Buffer.byteLength(fields);
    if (bytes > MAX_SPAN_BYTES) return `it has ${bytes} bytes as JSON, more than ${MAX_SPAN_BYTES}`;
    return {
      trace_id: span.trace_id,
      span_id: span.span_id,
      parent_span_id: ALL_ZERO.test(parent_span_id) ? null : parent_span_id,
      name,
      kind,
      category,
      status_code,
      start_time_unix_nano: span.start_time_unix_nano,
      end_time_unix_nano: end === 0n ? null : end,
      event_count: span.events.length,
      resource,
      bytes: bytes + FRAME_BYTES + resource.bytes,
      usage,
      fields,
      execution_id: executionOf(span.attributes) ?? executionOf(received.resource.attributes) ?? null,
    };
  }

  private resourceOf(resource: SentResource): CheckedResource | string {
    const known = this.resources.get(resource);
    if (known !== undefined) return known;
    const checked = checkResource(resource);
    this.resources.set(resource, checked);
    return checked;
  }
}

/** Returns the span with another usage. */
export function withUsage(span: CheckedSpan, usage: SpanUsage): CheckedSpan {
  const [sent, own] = [usageText(span.usage), usageText(usage)];
  return { ...span, usage, fields: `${span.fields.slice(0, -sent.length - 1)}${own}}` };
}

/** Adds the attributes of the instrumentation scope, which exporters for other protocols add in the same way. */
function attributesOf(own: Attributes, scope: Attributes): string {
  if (scope.size === 0) return attributesText(own);
  const all = new Map(scope);
  for (const [key, value] of own) all.set(key, value);
  return attributesText(all);
}

function checkResource({ attributes }: SentResource): CheckedResource | string {
  if (attributes.size > MAX_ATTRIBUTES) return `its resource has more than ${MAX_ATTRIBUTES} attributes`;
  const text = attributesText(attributes);
  const size = Buffer.byteLength(text);
  if (size > MAX_SPAN_BYTES) return `its resource has ${size} bytes as JSON, more than ${MAX_SPAN_BYTES}`;
  const service = textOf(attributes, 'service.name');
  const fault = service === undefined ? undefined : textFault('service.name', service);
  if (fault !== undefined) return `the ${fault}`;
  const digest = createHash('sha256').update(text).digest('base64url');
  return { digest, service_name: service ?? null, attributes: text, bytes: size };
}

function faultOf(span: SentSpan): string | undefined {
  return (
    idFault('trace_id', span.trace_id) ??
    idFault('span_id', span.span_id) ??
    (ALL_ZERO.test(span.parent_span_id) ? undefined : idFault('span_id', span.parent_span_id, 'parent_span_id')) ??
    textFault('name', span.name) ??
    textFault('status message', span.status_message) ??
    textFault('trace_state', span.trace_state) ??
    timeFault(span) ??
    numberFault('kind', span.kind, SPAN_KINDS.length) ??
    numberFault('status code', span.status_code, SPAN_STATUS_CODES.length - 1) ??
    sizeFault(span)
  );
}

function idFault(form: keyof typeof ID_DIGITS, id: string, name: string = form): string | undefined {
  if (id.length !== ID_DIGITS[form]) return `its ${name} has ${id.length} digits instead of ${ID_DIGITS[form]}`;
  if (!HEXADECIMAL.test(id)) return `its ${name} is not hexadecimal`;
  return ALL_ZERO.test(id) ? `its ${name} is zero` : undefined;
}

function textFault(name: string, text: string): string | undefined {
  if (text.length > MAX_SPAN_TEXT) return `its ${name} has more than ${MAX_SPAN_TEXT} characters`;
  return SUSPICIOUS.test(text) && UNSTORABLE.test(text) ? `its ${name} contains NUL or unpaired surrogates` : undefined;
}

function timeFault({ start_time_unix_nano: start, end_time_unix_nano: end }: SentSpan): string | undefined {
  if (start <= 0n) return 'its start time is missing or before 1970';
  if (start > MAX_NANOSECONDS || end > MAX_NANOSECONDS) return 'one of its times is after the year 2262';
  if (end < 0n) return 'its end time is before 1970';
  return end !== 0n && end < start ? 'it ends before it starts' : undefined;
}

function numberFault(name: string, value: number, max: number): string | undefined {
  return Number.isInteger(value) && value >= 0 && value <= max ? undefined : `its ${name} is not one of 0 to ${max}`;
}

function sizeFault({ attributes, events, links }: SentSpan): string | undefined {
  const isTooMany = ({ size }: Attributes): boolean => size > MAX_ATTRIBUTES;
  return isTooMany(attributes) ||
    events.some((event) => isTooMany(event.attributes)) ||
    links.some((link) => isTooMany(link.attributes))
    ? `it, or one of its events or links, has more than ${MAX_ATTRIBUTES} attributes`
    : undefined;
}

function executionOf(attributes: Attributes): string | undefined {
  return textOf(attributes, EXECUTION_ID);
}

/** Composed as text: `JSON.stringify` cannot write integers of 64 bits. */
function fieldsText(
  span: SentSpan,
  found: Pick<CheckedSpan, 'kind' | 'status_code' | 'category' | 'usage'> & {
    readonly attributes: string;
    readonly created_at: string;
  },
): string {
  const { start_time_unix_nano: start, end_time_unix_nano: end, status_message, trace_state } = span;
  const duration = end === 0n ? null : end - start;
  return (
    `{"name":${JSON.stringify(span.name)},"kind":"${found.kind}","category":"${found.category}"` +
    `,"status_code":"${found.status_code}","status_message":${textOrNull(status_message)}` +
    `,"trace_state":${textOrNull(trace_state)},"start_time_unix_nano":${start}` +
    `,"end_time_unix_nano":${end === 0n ? null : end},"duration_ns":${duration}` +
    `,"duration_ms":${duration === null ? null : duration / 1_000_000n},"created_at":"${found.created_at}"` +
    `,"attributes":${found.attributes},"events":[${span.events.map(eventText).join(',')}]` +
    `,"links":[${span.links.map(linkText).join(',')}]` +
    `,"dropped_attributes_count":${span.dropped_attributes_count}` +
    `,"dropped_events_count":${span.dropped_events_count},"dropped_links_count":${span.dropped_links_count}` +
    `,"usage":${usageText(found.usage)}}`
  );
}

function textOrNull(text: string): string {
  return text === '' ? 'null' : JSON.stringify(text);
}

function eventText({ name, time_unix_nano, attributes, dropped_attributes_count }: SentEvent): string {
  return `{"name":${JSON.stringify(name)},"time_unix_nano":${time_unix_nano},"attributes":${attributesText(
    attributes,
  )},"dropped_attributes_count":${dropped_attributes_count}}`;
}

function linkText({ trace_id, span_id, trace_state, attributes, dropped_attributes_count }: SentLink): string {
  const fields = JSON.stringify({ trace_id, span_id, trace_state }).slice(0, -1);
  return `${fields},"attributes":${attributesText(attributes)},"dropped_attributes_count":${dropped_attributes_count}}`;
}
