import type { SpanCategory, SpanKind, SpanStatusCode, Trace } from '../trace.types.js';

/** A stored span. Integers of 64 bits are decimal digits, and free-form values are JSON texts, so that all are exact. */
export interface Span {
  readonly id: string;
  readonly organization_id: string;
  readonly trace_id: string;
  readonly span_id: string;
  readonly parent_span_id: string | null;
  readonly name: string;
  readonly kind: SpanKind;
  readonly category: SpanCategory;
  readonly status_code: SpanStatusCode;
  readonly status_message: string | null;
  readonly trace_state: string | null;
  readonly start_ns: string;
  readonly end_ns: string | null;
  readonly duration_ns: string | null;
  readonly attributes: string;
  readonly resource_attributes: string;
  readonly events: string;
  readonly links: string;
  readonly dropped_attributes_count: string;
  readonly dropped_events_count: string;
  readonly dropped_links_count: string;
  readonly created_at: Date;
}

/** A trace with all its spans, ordered by start. */
export interface WholeTrace {
  readonly trace: Trace;
  readonly spans: readonly Span[];
}

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
}

export interface TraceOutline {
  readonly trace: Trace;
  /** Whether the trace has more spans than the outline. */
  readonly truncated: boolean;
  /** In the order of the trees. */
  readonly spans: readonly OutlinedSpan[];
}
