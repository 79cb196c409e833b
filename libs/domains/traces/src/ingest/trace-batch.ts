import { newId } from '@app/kernel';
import type { ExecutionOwner, ExecutionUser } from '@app/executions';
import type { LockedTrace } from './ingest.repository.js';
import type { CheckedSpan } from './span-check.js';
import {
  durationOf,
  mergeSummaries,
  statusOf,
  storedSummaryOf,
  summaryOf,
  type TraceSummary,
} from './trace-summary.js';
import type { Trace } from '../trace.types.js';

/** The spans of one trace in a batch, by id. Of spans with the same id, the last one in the batch. */
export type TraceSpans = ReadonlyMap<string, CheckedSpan>;

/** Returns the spans of a batch by trace. */
export function spansByTrace(spans: readonly CheckedSpan[]): ReadonlyMap<string, TraceSpans> {
  const traces = new Map<string, Map<string, CheckedSpan>>();
  for (const span of spans) {
    const known = traces.get(span.trace_id) ?? new Map<string, CheckedSpan>();
    known.set(span.span_id, span);
    traces.set(span.trace_id, known);
  }
  return traces;
}

/** Returns the summary of spans. There is at least one. */
export function summaryOfSpans(spans: Iterable<CheckedSpan>): TraceSummary | undefined {
  let summary: TraceSummary | undefined;
  for (const span of spans) {
    const one = summaryOf(span);
    summary = summary === undefined ? one : mergeSummaries(summary, one);
  }
  return summary;
}

/** The execution of a trace and its user. */
export interface TraceOwner {
  readonly execution_id: string | null;
  readonly execution_type: Trace['execution_type'];
  readonly user_id: string | null;
  readonly user_email: string | null;
  readonly user_name: string | null;
  readonly user_avatar: string | null;
}

/** Returns the first execution that a span names, with its user; without an execution, the user of the key. */
export function ownerOf(
  spans: Iterable<CheckedSpan>,
  executions: ReadonlyMap<string, ExecutionOwner>,
  { userId, userEmail, userName, userAvatar }: ExecutionUser,
): TraceOwner {
  for (const { execution_id } of spans) {
    const owner = execution_id === null ? undefined : executions.get(execution_id);
    if (owner === undefined) continue;
    const { id, execution_type, user_id, user_email, user_name, user_avatar } = owner;
    return { execution_id: id, execution_type, user_id, user_email, user_name, user_avatar };
  }
  const user = { user_id: userId, user_email: userEmail, user_name: userName, user_avatar: userAvatar };
  return { execution_id: null, execution_type: null, ...user };
}

/** Returns the row of a new trace. */
export function newTrace(
  trace_id: string,
  summary: TraceSummary,
  owner: TraceOwner,
  { organizationId, now }: { readonly organizationId: string; readonly now: Date },
): Trace {
  return {
    organization_id: organizationId,
    trace_id,
    id: newId(),
    day: now.toISOString().slice(0, 10),
    ...owner,
    ...columnsOfSummary(summary),
    revision: 1,
    created_at: now,
    updated_at: now,
  };
}

/** Returns the row of a trace after a batch. `summary`: that of all spans, or of those that the batch added. */
export function updatedTrace(
  locked: LockedTrace,
  summary: { readonly whole: TraceSummary } | { readonly added: TraceSummary | undefined },
  owner: TraceOwner,
): Trace {
  const { is_new: _isNew, ...trace } = locked;
  const linked = trace.execution_id === null && owner.execution_id !== null ? owner : {};
  return { ...trace, ...linked, ...columnsOfSummary(wholeSummary(trace, summary)), revision: trace.revision + 1 };
}

function wholeSummary(trace: Trace, summary: Parameters<typeof updatedTrace>[1]): TraceSummary {
  if ('whole' in summary) return summary.whole;
  const stored = storedSummaryOf(trace);
  return summary.added === undefined ? stored : mergeSummaries(stored, summary.added);
}

function columnsOfSummary(
  summary: TraceSummary,
): Omit<
  Trace,
  keyof TraceOwner | 'organization_id' | 'trace_id' | 'id' | 'day' | 'revision' | 'created_at' | 'updated_at'
> {
  return {
    ...summary,
    named_by_start_ns: String(summary.named_by_start_ns),
    start_ns: String(summary.start_ns),
    end_ns: textOf(summary.end_ns),
    bytes: String(summary.bytes),
    input_tokens: textOf(summary.input_tokens),
    output_tokens: textOf(summary.output_tokens),
    total_tokens: textOf(summary.total_tokens),
    cost_nanos: textOf(summary.cost_nanos),
    status: statusOf(summary),
    duration_ms: textOf(durationOf(summary)),
  };
}

function textOf(value: bigint | null): string | null {
  return value === null ? null : value.toString();
}
