import type { SpanUsage } from './span-usage.js';
import { MAX_MODELS, type Trace, type TraceStatus } from '../trace.types.js';

/** The sums over the spans of a trace. Times are nanoseconds. */
export interface TraceSummary {
  readonly name: string;
  readonly service_name: string | null;
  readonly named_by_root: boolean;
  readonly named_by_start_ns: bigint;
  readonly named_by_span_id: string;
  readonly start_ns: bigint;
  readonly end_ns: bigint | null;
  readonly span_count: number;
  readonly error_count: number;
  readonly open_count: number;
  readonly root_count: number;
  readonly root_error_count: number;
  readonly bytes: bigint;
  readonly models: readonly string[];
  readonly input_tokens: bigint | null;
  readonly output_tokens: bigint | null;
  readonly total_tokens: bigint | null;
  readonly cost_nanos: bigint | null;
}

/** What a summary needs of a span. */
export interface SummedSpan {
  readonly span_id: string;
  readonly parent_span_id: string | null;
  readonly name: string;
  readonly status_code: string;
  readonly start_time_unix_nano: bigint;
  readonly end_time_unix_nano: bigint | null;
  readonly bytes: number;
  /** Null unless it is a request to a model. */
  readonly usage: SpanUsage | null;
  readonly resource: { readonly service_name: string | null };
}

const NO_MODELS: readonly string[] = [];

export function summaryOf(span: SummedSpan): TraceSummary {
  const { usage } = span;
  const isRoot = span.parent_span_id === null;
  const isError = span.status_code === 'ERROR';
  return {
    name: span.name,
    service_name: span.resource.service_name,
    named_by_root: isRoot,
    named_by_start_ns: span.start_time_unix_nano,
    named_by_span_id: span.span_id,
    start_ns: span.start_time_unix_nano,
    end_ns: span.end_time_unix_nano,
    span_count: 1,
    error_count: Number(isError),
    open_count: Number(span.end_time_unix_nano === null),
    root_count: Number(isRoot),
    root_error_count: Number(isRoot && isError),
    bytes: BigInt(span.bytes),
    models: usage === null || usage.model === null ? NO_MODELS : [usage.model],
    input_tokens: toBigInt(usage?.input_tokens),
    output_tokens: toBigInt(usage?.output_tokens),
    total_tokens: toBigInt(usage?.total_tokens),
    cost_nanos: toBigInt(usage?.cost_nanos),
  };
}

/** Returns the summary of two sets of different spans. Commutative and associative, so the order of batches is irrelevant. */
export function mergeSummaries(one: TraceSummary, other: TraceSummary): TraceSummary {
  const named = namedFirst(one, other) ? one : other;
  return {
    name: named.name,
    service_name: named.service_name,
    named_by_root: named.named_by_root,
    named_by_start_ns: named.named_by_start_ns,
    named_by_span_id: named.named_by_span_id,
    start_ns: one.start_ns < other.start_ns ? one.start_ns : other.start_ns,
    end_ns: latest(one.end_ns, other.end_ns),
    span_count: one.span_count + other.span_count,
    error_count: one.error_count + other.error_count,
    open_count: one.open_count + other.open_count,
    root_count: one.root_count + other.root_count,
    root_error_count: one.root_error_count + other.root_error_count,
    bytes: one.bytes + other.bytes,
    models: mergeModels(one.models, other.models),
    input_tokens: sumOf(one.input_tokens, other.input_tokens),
    output_tokens: sumOf(one.output_tokens, other.output_tokens),
    total_tokens: sumOf(one.total_tokens, other.total_tokens),
    cost_nanos: sumOf(one.cost_nanos, other.cost_nanos),
  };
}

/** In the order of UTF-8, which is that of the collation "C". Only the first are kept, so the order of batches is irrelevant. */
function mergeModels(one: readonly string[], other: readonly string[]): readonly string[] {
  if (other.every((model) => one.includes(model))) return one;
  if (one.length === 0) return other;
  const all = [...new Set([...one, ...other])];
  return all.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))).slice(0, MAX_MODELS);
}

function sumOf(one: bigint | null, other: bigint | null): bigint | null {
  if (one === null || other === null) return one ?? other;
  return one + other;
}

/** Null and undefined: null. */
export function toBigInt(value: string | number | null | undefined): bigint | null {
  return value === null || value === undefined ? null : BigInt(value);
}

/** A root gives the name before other spans, then the earliest span, then the smallest id. */
function namedFirst(one: TraceSummary, other: TraceSummary): boolean {
  if (one.named_by_root !== other.named_by_root) return one.named_by_root;
  if (one.named_by_start_ns !== other.named_by_start_ns) return one.named_by_start_ns < other.named_by_start_ns;
  return one.named_by_span_id < other.named_by_span_id;
}

function latest(one: bigint | null, other: bigint | null): bigint | null {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
}

/**
 * A trace runs while a span is open. Otherwise its root spans determine whether it failed: an error below a root that
 * succeeded was handled. Without a root, any error does.
 */
export function statusOf({ open_count, root_count, root_error_count, error_count }: TraceSummary): TraceStatus {
  if (open_count > 0) return 'running';
  return (root_count > 0 ? root_error_count : error_count) > 0 ? 'error' : 'success';
}

/** Null while a span is open. */
export function durationOf({ open_count, start_ns, end_ns }: TraceSummary): bigint | null {
  return open_count > 0 || end_ns === null ? null : (end_ns - start_ns) / 1_000_000n;
}

/** Returns the summary that is stored in the row of a trace. */
export function storedSummaryOf(trace: Trace): TraceSummary {
  return {
    name: trace.name,
    service_name: trace.service_name,
    named_by_root: trace.named_by_root,
    named_by_start_ns: BigInt(trace.named_by_start_ns),
    named_by_span_id: trace.named_by_span_id,
    start_ns: BigInt(trace.start_ns),
    end_ns: toBigInt(trace.end_ns),
    span_count: trace.span_count,
    error_count: trace.error_count,
    open_count: trace.open_count,
    root_count: trace.root_count,
    root_error_count: trace.root_error_count,
    bytes: BigInt(trace.bytes),
    models: trace.models,
    input_tokens: toBigInt(trace.input_tokens),
    output_tokens: toBigInt(trace.output_tokens),
    total_tokens: toBigInt(trace.total_tokens),
    cost_nanos: toBigInt(trace.cost_nanos),
  };
}
