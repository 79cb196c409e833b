import type { SpanUsage } from '../ingest/span-usage.js';
import type { SpanCategory, SpanKind, SpanStatusCode, Trace } from '../trace.types.js';

/** A stored span. Its texts of JSON are exact: integers have all digits. */
export interface Span {
  readonly id: string;
  readonly span_id: string;
  /** As it was sent, even if the parent is missing. */
  readonly parent_span_id: string | null;
  readonly start_time_unix_nano: string;
  /** All other fields but those of its trace and resource: the text of a JSON object. */
  readonly fields: string;
  /** The text of a JSON object. */
  readonly resource_attributes: string;
}

/** A page of the spans of a trace, or one of them. */
export interface SpansOfTrace<Spans> {
  readonly trace: Trace;
  readonly spans: Spans;
}

/** A trace with all its spans, ordered by start. */
export type WholeTrace = SpansOfTrace<readonly Span[]>;

/** What a drawing of a trace needs of a span. */
export interface OutlinedSpan {
  readonly span_id: string;
  readonly parent_span_id: string | null;
  readonly name: string;
  readonly service_name: string | null;
  readonly kind: SpanKind;
  readonly status_code: SpanStatusCode;
  readonly category: SpanCategory;
  /** Nanoseconds since the start of the trace. */
  readonly offset_ns: number;
  /** Null while the span is open. */
  readonly duration_ns: number | null;
  /** Number of events. */
  readonly events: number;
  /** Null unless the span is a request to a model. */
  readonly usage: SpanUsage | null;
}

export interface TraceOutline {
  readonly trace: Trace;
  /** Whether the trace has more spans than the outline. */
  readonly truncated: boolean;
  /** In the order of the trees. */
  readonly spans: readonly OutlinedSpan[];
}
