import { createHash } from 'node:crypto';
import { forestOf, type Span, type Trace, type WholeTrace } from '@app/traces';
import { toTraceResponse } from './trace.mapper.js';

/**
 * JSON texts of spans (`SpanResponse`). They are composed here, because stored JSON must remain exact, and because a
 * tree can be deeper than the stack.
 */
export function spanText(trace: Trace, span: Span): string {
  return `${openText(frameOf(trace), span)}}`;
}

/** Returns the version of a text, for its `ETag`. */
export function versionOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/** Returns a list of spans without children, in their order. */
export function flatText({ trace, spans }: WholeTrace): string {
  const frame = frameOf(trace);
  return `[${spans.map((span) => openText(frame, span)).join('},')}${spans.length > 0 ? '}' : ''}]`;
}

/** Returns the trees of the spans of one trace. */
export function treeText({ trace, spans }: WholeTrace): string {
  const frame = frameOf(trace);
  const texts: string[] = ['['];
  let open = 0;
  for (const { index, depth } of forestOf(spans)) {
    const span = spans[index];
    if (span === undefined) continue;
    if (open > depth) texts.push(']}'.repeat(open - depth), ',');
    texts.push(openText(frame, span), ',"children":[');
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

const WITHOUT_USAGE = /"dropped_links_count":\d+\}$/;

/** The fields that all spans of a trace have in common. */
function frameOf({ trace_id, organization_id }: Trace): string {
  return `,"trace_id":"${trace_id}","organization_id":"${organization_id}"`;
}

/** Returns the text of a span without its end. */
function openText(frame: string, { id, span_id, parent_span_id, fields, resource_attributes }: Span): string {
  const parent = parent_span_id === null ? 'null' : `"${parent_span_id}"`;
  // Spans that were stored before this field existed end otherwise.
  const usage = WITHOUT_USAGE.test(fields) ? ',"usage":null' : '';
  return `${fields.slice(0, -1)}${usage},"id":"${id}"${frame},"span_id":"${span_id}","parent_span_id":${parent},"resource_attributes":${resource_attributes}`;
}
