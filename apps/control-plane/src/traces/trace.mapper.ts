import { toCursor } from '@app/http';
import { parseExactJson, toWireTime, withoutUndefined, type Page, type PageResult } from '@app/kernel';
import type { SpanUsage, Trace, TraceFilter, TraceOutline } from '@app/traces';
import { DEFAULT_SPAN_LIMIT, TRACE_PAGE, type ListSpansQuery, type ListTracesQuery } from './dto/trace.request.dto.js';
import type {
  TraceOutlineResponse,
  TracePageResponse,
  TraceResponse,
  TraceUsageResponse,
  SpanUsageResponse,
} from './dto/trace.response.dto.js';

type NumberedPage = Page & { readonly page: number };

/** Converts a page number to the range of rows, and keeps the number for the response. */
export function toTracePage(query: ListTracesQuery): NumberedPage {
  const { page = TRACE_PAGE.page, page_size = TRACE_PAGE.page_size } = query;
  return { page, skip: (page - 1) * page_size, limit: page_size, ...toCursor(query) };
}

/** Returns undefined if the query asks for all spans. */
export function toSpanPage({ limit, cursor }: ListSpansQuery): Page | undefined {
  if (limit === undefined && cursor === undefined) return undefined;
  return { skip: 0, limit: limit ?? DEFAULT_SPAN_LIMIT, ...withoutUndefined({ cursor }) };
}

export function toTraceFilter(query: ListTracesQuery): TraceFilter {
  const { status, service_name, user_id, execution_id, has_errors, time_from, time_to, search } = query;
  return withoutUndefined({ status, service_name, user_id, execution_id, has_errors, time_from, time_to, search });
}

export function toTracePageResponse(
  { items, total, nextCursor }: PageResult<Trace>,
  { page, limit }: NumberedPage,
): TracePageResponse {
  return {
    items: items.map(toTraceResponse),
    total: total ?? null,
    page,
    page_size: limit,
    total_pages: total === undefined ? null : Math.ceil(total / limit),
    has_next: nextCursor !== undefined,
    has_previous: page > 1,
    next_cursor: nextCursor ?? null,
  };
}

/** Without spans. */
export function toTraceResponse(trace: Trace): TraceResponse {
  return {
    id: trace.id,
    trace_id: trace.trace_id,
    organization_id: trace.organization_id,
    name: trace.name,
    service_name: trace.service_name,
    execution_id: trace.execution_id,
    execution_type: trace.execution_type,
    user_id: trace.user_id,
    user_email: trace.user_email,
    user_name: trace.user_name,
    user_avatar: trace.user_avatar,
    status: trace.status,
    started_at: timeOf(trace.start_ns),
    ended_at: trace.open_count > 0 || trace.end_ns === null ? null : timeOf(trace.end_ns),
    duration_ms: trace.duration_ms === null ? null : Number(trace.duration_ms),
    span_count: trace.span_count,
    error_count: trace.error_count,
    ...toTraceUsage(trace),
    spans: [],
    created_at: toWireTime(trace.created_at),
    updated_at: toWireTime(trace.updated_at),
  };
}

export function toTraceOutlineResponse({ trace, truncated, spans }: TraceOutline): TraceOutlineResponse {
  const isRunning = trace.open_count > 0 || trace.end_ns === null;
  return {
    trace_id: trace.trace_id,
    started_at: timeOf(trace.start_ns),
    duration_ns: isRunning ? null : Number(BigInt(trace.end_ns ?? 0) - BigInt(trace.start_ns)),
    span_count: trace.span_count,
    ...toTraceUsage(trace),
    truncated,
    spans: spans.map((span) => ({
      span_id: span.span_id,
      parent_span_id: span.parent_span_id,
      name: span.name,
      service_name: span.service_name,
      kind: span.kind,
      status_code: span.status_code,
      category: span.category,
      offset_ns: span.offset_ns,
      duration_ns: span.duration_ns,
      events: span.events,
      usage: span.usage === null ? null : toUsageResponse(span.usage),
    })),
  };
}

function toTraceUsage(trace: Trace): TraceUsageResponse {
  return {
    models: [...trace.models],
    input_tokens: exactNumberOf(trace.input_tokens),
    output_tokens: exactNumberOf(trace.output_tokens),
    total_tokens: exactNumberOf(trace.total_tokens),
    cost: trace.cost_nanos === null ? null : toCost(Number(trace.cost_nanos)),
  };
}

function toUsageResponse({
  model,
  input_tokens,
  output_tokens,
  total_tokens,
  cost_nanos,
}: SpanUsage): SpanUsageResponse {
  return { model, input_tokens, output_tokens, total_tokens, cost: toCost(cost_nanos) };
}

/** A sum over a trace can be one that no double holds; the response has all its digits. */
function exactNumberOf(digits: string | null): number | null {
  return digits === null ? null : (parseExactJson(digits) as number);
}

function toCost(nanos: number | null): number | null {
  return nanos === null ? null : nanos / 1e9;
}

function timeOf(nanoseconds: string): string {
  return toWireTime(new Date(Number(BigInt(nanoseconds) / 1_000_000n)));
}
