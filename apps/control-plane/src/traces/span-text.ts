import { createHash } from 'node:crypto';
import { toWireTime } from '@app/kernel';
import { forestOf, type Span, type Trace } from '@app/traces';
import { toTraceResponse } from './trace.mapper.js';

/**
 * JSON texts of spans (`SpanResponse`). They are composed here because integers of 64 bits, which `JSON.stringify` cannot
 * write, and stored JSON must remain exact, and because a tree can be deeper than the stack.
 */
export function spanText(span: Span): string {
  return `${openText(span)}}`;
}

/** Returns the version of a text, for its `ETag`. */
export function versionOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/** Returns a list of spans without children, in their order. */
export function flatText(spans: readonly Span[]): string {
  return `[${spans.map(spanText).join(',')}]`;
}

/** Returns the trees of the spans of one trace. */
export function treeText(spans: readonly Span[]): string {
  const texts: string[] = ['['];
  let open = 0;
  for (const { index, depth } of forestOf(spans)) {
    const span = spans[index];
    if (span === undefined) continue;
    const isSibling = open > depth;
    if (isSibling) texts.push(']}'.repeat(open - depth), ',');
    texts.push(openText(span), ',"children":[');
    open = depth + 1;
  }
  texts.push(']}'.repeat(open), ']');
  return texts.join('');
}

/** Returns a `TraceResponse` with these spans. */
export function traceText(trace: Trace, spans: string): string {
  const { spans: _none, ...fields } = toTraceResponse(trace);
  return `${JSON.stringify(fields).slice(0, -1)},"spans":${spans}}`;
}

/** Returns the text of a span without its end. */
function openText(span: Span): string {
  const { parent_span_id, status_message, trace_state, start_ns, end_ns, duration_ns } = span;
  const duration_ms = duration_ns === null ? null : Math.floor(Number(duration_ns) / 1_000_000);
  return (
    `{"id":"${span.id}","trace_id":"${span.trace_id}","span_id":"${span.span_id}"` +
    `,"organization_id":"${span.organization_id}","name":${JSON.stringify(span.name)}` +
    `,"parent_span_id":${parent_span_id === null ? 'null' : `"${parent_span_id}"`}` +
    `,"kind":"${span.kind}","category":"${span.category}","status_code":"${span.status_code}"` +
    `,"status_message":${JSON.stringify(status_message)},"trace_state":${JSON.stringify(trace_state)}` +
    `,"start_time_unix_nano":${start_ns},"end_time_unix_nano":${end_ns},"duration_ns":${duration_ns}` +
    `,"duration_ms":${duration_ms},"created_at":"${toWireTime(span.created_at)}"` +
    `,"attributes":${span.attributes},"resource_attributes":${span.resource_attributes}` +
    `,"events":${span.events},"links":${span.links}` +
    `,"dropped_attributes_count":${span.dropped_attributes_count},"dropped_events_count":${span.dropped_events_count}` +
    `,"dropped_links_count":${span.dropped_links_count}`
  );
}
