import type { TraceContext } from '@app/observability';
import type { Attributes, AttributeValue } from '../ingest/attributes.js';
import type { SentResource, SentSpan } from '../ingest/sent-span.js';
import { SPAN_KINDS, SPAN_STATUS_CODES, type SpanKind } from '../trace.types.js';

export const PLATFORM_SERVICE = 'control-plane';

/** What the spans of the platform name as their sender: they are the same whichever process stores them. */
export const PLATFORM: SentResource = { attributes: new Map([['service.name', PLATFORM_SERVICE]]) };

const MAX_TEXT = 4096;
const NANOSECONDS = 1_000_000n;

/** A span that the platform makes itself. Times are milliseconds since 1970. */
export interface PlatformSpan {
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  /** Absent: INTERNAL. */
  readonly kind?: SpanKind;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Undefined attributes are left out. */
  readonly attributes: Readonly<Record<string, AttributeValue | undefined>>;
  /** The reason of a failure. */
  readonly error?: string | null;
}

/** A span that began after its end, for example a retry that was cancelled before it was due, has no duration. */
export function toSentSpan(
  { traceId, traceState }: Pick<TraceContext, 'traceId' | 'traceState'>,
  executionId: string,
  span: PlatformSpan,
): SentSpan {
  const { startedAt, error = null } = span;
  return {
    trace_id: traceId,
    span_id: span.spanId,
    parent_span_id: span.parentSpanId ?? '',
    trace_state: traceState ?? '',
    name: span.name.slice(0, MAX_TEXT),
    kind: SPAN_KINDS.indexOf(span.kind ?? 'INTERNAL') + 1,
    status_code: SPAN_STATUS_CODES.indexOf(error === null ? 'UNSET' : 'ERROR'),
    status_message: error?.slice(0, MAX_TEXT) ?? '',
    start_time_unix_nano: BigInt(startedAt) * NANOSECONDS,
    end_time_unix_nano: BigInt(Math.max(startedAt, span.endedAt)) * NANOSECONDS,
    attributes: attributesOf({ 'execution.id': executionId, ...span.attributes }),
    events: [],
    links: [],
    dropped_attributes_count: 0,
    dropped_events_count: 0,
    dropped_links_count: 0,
  };
}

function attributesOf(values: PlatformSpan['attributes']): Attributes {
  const attributes = new Map<string, AttributeValue>();
  for (const [name, value] of Object.entries(values)) if (value !== undefined) attributes.set(name, value);
  return attributes;
}
