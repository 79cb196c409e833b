import type { ExecutionType } from '@app/executions';

export const TRACE_STATUSES = ['success', 'error', 'running'] as const;
export type TraceStatus = (typeof TRACE_STATUSES)[number];

/** In the order of the numbers of OTLP, which begin with 1; 0 is unspecified. */
export const SPAN_KINDS = ['INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'] as const;
export type SpanKind = (typeof SPAN_KINDS)[number];

/** In the order of the numbers of OTLP, which begin with 0. */
export const SPAN_STATUS_CODES = ['UNSET', 'OK', 'ERROR'] as const;
export type SpanStatusCode = (typeof SPAN_STATUS_CODES)[number];

/** Maximum time: the nanoseconds of a signed 64-bit integer end in the year 2262. */
export const MAX_NANOSECONDS = 2n ** 63n - 1n;

/** What a span measures, for colors and filters. */
export const SPAN_CATEGORIES = ['queue', 'lease', 'model', 'tool', 'step', 'http', 'other'] as const;
export type SpanCategory = (typeof SPAN_CATEGORIES)[number];

/**
 * What the platform stores about a trace: sums over its spans, which every batch updates. Times are nanoseconds since
 * 1970, in decimal digits: they exceed the integers that a number can hold exactly.
 */
export interface Trace {
  readonly organization_id: string;
  readonly trace_id: string;
  readonly id: string;
  /** The UTC day of its first batch, which is the partition of all its spans: `2026-11-27`. */
  readonly day: string;
  /** Name of the first root span; without a root, of the first span. */
  readonly name: string;
  /** Service of the span that gives the name. */
  readonly service_name: string | null;
  readonly named_by_root: boolean;
  readonly named_by_start_ns: string;
  readonly named_by_span_id: string;
  /** The first execution that a span names. */
  readonly execution_id: string | null;
  readonly execution_type: ExecutionType | null;
  /** The user of the execution; without an execution, that of the key that sent the first batch. */
  readonly user_id: string | null;
  readonly user_email: string | null;
  readonly user_name: string | null;
  readonly user_avatar: string | null;
  readonly status: TraceStatus;
  readonly start_ns: string;
  /** The latest end of a span; null if none has ended. */
  readonly end_ns: string | null;
  /** Null while a span is open. Rounded down. */
  readonly duration_ms: string | null;
  readonly span_count: number;
  /** Number of spans with the status ERROR. */
  readonly error_count: number;
  /** Number of spans without an end. */
  readonly open_count: number;
  /** Number of spans without a parent. */
  readonly root_count: number;
  readonly root_error_count: number;
  /** Approximate size of all spans in a response, in bytes. */
  readonly bytes: string;
  /** The models of its requests to models, in alphabetical order, the first `MAX_MODELS`. */
  readonly models: readonly string[];
  /** Sums over its requests to models, in decimal digits; null if none of them has the value. */
  readonly input_tokens: string | null;
  readonly output_tokens: string | null;
  readonly total_tokens: string | null;
  readonly cost_nanos: string | null;
  /** Number of batches that changed the trace. */
  readonly revision: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Maximum number of models of a trace. */
export const MAX_MODELS = 20;

export const TRACE_SORTS = ['-started_at', 'started_at', '-duration_ms', 'duration_ms'] as const;
export type TraceSort = (typeof TRACE_SORTS)[number];

export interface TraceFilter {
  readonly status?: TraceStatus;
  readonly service_name?: string;
  readonly user_id?: string;
  readonly execution_id?: string;
  readonly has_errors?: boolean;
  /** Earliest start, inclusive. */
  readonly time_from?: Date;
  /** Latest start, exclusive. */
  readonly time_to?: Date;
  /** Part of the name, in any case. */
  readonly search?: string;
}
