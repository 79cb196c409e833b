import type { Attributes } from './attributes.js';

/** The process that sent spans. */
export interface SentResource {
  readonly attributes: Attributes;
}

export interface SentEvent {
  readonly name: string;
  readonly time_unix_nano: bigint;
  readonly attributes: Attributes;
  readonly dropped_attributes_count: number;
}

export interface SentLink {
  readonly trace_id: string;
  readonly span_id: string;
  readonly trace_state: string;
  readonly attributes: Attributes;
  readonly dropped_attributes_count: number;
}

/** A span as it was received, decoded but not checked. */
export interface SentSpan {
  /** Hexadecimal digits, in lower case. */
  readonly trace_id: string;
  readonly span_id: string;
  /** Empty for a root span. */
  readonly parent_span_id: string;
  readonly trace_state: string;
  readonly name: string;
  /** The number of OTLP. */
  readonly kind: number;
  /** The number of OTLP. */
  readonly status_code: number;
  readonly status_message: string;
  readonly start_time_unix_nano: bigint;
  /** 0: the span has not ended. */
  readonly end_time_unix_nano: bigint;
  readonly attributes: Attributes;
  readonly events: readonly SentEvent[];
  readonly links: readonly SentLink[];
  readonly dropped_attributes_count: number;
  readonly dropped_events_count: number;
  readonly dropped_links_count: number;
}

/** A span of a batch with its sender, or the reason why it could not be decoded. */
export type Received =
  { readonly resource: SentResource; readonly scope: Attributes; readonly span: SentSpan } | { readonly fault: string };
