import { context, trace } from '@opentelemetry/api';

/** The headers of W3C Trace Context for what the active span calls; none without a span. */
export interface TraceHeaders {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

export function traceHeaders(): TraceHeaders {
  const span = trace.getSpanContext(context.active());
  if (span === undefined) return {};
  const state = span.traceState?.serialize() ?? '';
  const flags = span.traceFlags.toString(16).padStart(2, '0');
  return {
    traceparent: `00-${span.traceId}-${span.spanId}-${flags}`,
    ...(state === '' ? {} : { tracestate: state }),
  };
}

/** Adds the headers of the active span to each request, unless it has them. */
export function tracedFetch(request: typeof fetch): typeof fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    for (const [name, value] of Object.entries(traceHeaders()))
      if (!headers.has(name)) headers.set(name, String(value));
    return request(input, { ...init, headers });
  };
}

/** The environment variables by which programs receive a context, after the OpenTelemetry specification. */
export function traceVariables(): Record<string, string> {
  return Object.fromEntries(Object.entries(traceHeaders()).map(([name, value]) => [name.toUpperCase(), String(value)]));
}
