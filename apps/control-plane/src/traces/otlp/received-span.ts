import type { Attributes, AttributeValue, SentSpan } from '@app/traces';

/** A span while it is decoded, with the defaults of the protocol. */
export type DecodedSpan = { -readonly [Field in keyof SentSpan]: SentSpan[Field] };

export function emptySpan(): DecodedSpan {
  return {
    trace_id: '',
    span_id: '',
    parent_span_id: '',
    trace_state: '',
    name: '',
    kind: 0,
    status_code: 0,
    status_message: '',
    start_time_unix_nano: 0n,
    end_time_unix_nano: 0n,
    attributes: new Map(),
    events: [],
    links: [],
    dropped_attributes_count: 0,
    dropped_events_count: 0,
    dropped_links_count: 0,
  };
}

/** What instrumented the code. Its name and version are attributes of its spans, as in exporters for other protocols. */
export interface DecodedScope {
  readonly name: string;
  readonly version: string;
  readonly attributes: Attributes;
}

export function scopeAttributes({ name, version, attributes }: DecodedScope): Attributes {
  const all = new Map<string, AttributeValue>();
  if (name !== '') all.set('otel.scope.name', name);
  if (version !== '') all.set('otel.scope.version', version);
  for (const [key, value] of attributes) all.set(`otel.scope.${key}`, value);
  return all;
}

/** Returns why one span of a valid request cannot be decoded. */
export function undecodable(error: unknown): { readonly fault: string } {
  return { fault: `it cannot be decoded: ${(error as Error).message}` };
}
