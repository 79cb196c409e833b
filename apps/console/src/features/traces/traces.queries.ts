import { nearestNumber, unwrap, type ControlPlaneComponents } from '@app/api-client';
import { queryOptions } from '@tanstack/react-query';
import { keysetQuery } from '../../api/keyset';
import type { Session } from '../../session/session';
import type { TracesSearch } from './traces.search';

type Schemas = ControlPlaneComponents['schemas'];
export type Trace = Schemas['TraceResponse'];
export type Outline = Schemas['TraceOutlineResponse'];
export type OutlinedSpan = Schemas['OutlinedSpanResponse'];
export type Span = Schemas['SpanResponse'];

/** Spans are added while the request that they are about runs. */
const REFRESH_MS = 2000;

/** The traces that a filter finds, newest first. */
export function tracesQuery({ controlPlane }: Session, { status, service, execution, search }: TracesSearch) {
  const filters = {
    ...(status === undefined ? {} : { status }),
    ...(service === undefined ? {} : { service_name: service }),
    ...(execution === undefined ? {} : { execution_id: execution }),
    ...(search === undefined ? {} : { search }),
  };
  return keysetQuery<Trace>(['traces', 'list', filters], async ({ limit, ...page }, signal) => {
    const params = { query: { ...page, page_size: limit, ...filters } };
    const answer = await controlPlane.GET('/api/v1/traces', { params, signal });
    return answer.data === undefined ? answer : { ...answer, data: answer.data.items };
  });
}

export function outlineQuery({ controlPlane }: Session, traceId: string) {
  return queryOptions({
    queryKey: ['traces', 'outline', traceId],
    queryFn: async ({ signal }) => {
      const params = { path: { trace_id: traceId } };
      return withNumbers(await unwrap(controlPlane.GET('/api/v1/traces/{trace_id}/outline', { params, signal })));
    },
    refetchInterval: ({ state: { data } }) => (data?.duration_ns === null ? REFRESH_MS : false),
  });
}

export function spanQuery({ controlPlane }: Session, traceId: string, spanId: string) {
  return queryOptions({
    queryKey: ['traces', 'span', traceId, spanId],
    queryFn: ({ signal }) => {
      const params = { path: { trace_id: traceId, span_id: spanId } };
      return unwrap(controlPlane.GET('/api/v1/traces/{trace_id}/spans/{span_id}', { params, signal }));
    },
  });
}

/** Times beyond 2^53 ns, more than 104 days, are bigints, with which the drawing could not calculate. */
export function withNumbers(outline: Outline): Outline {
  return {
    ...outline,
    duration_ns: numberOf(outline.duration_ns),
    spans: outline.spans.map((span) => ({
      ...span,
      offset_ns: nearestNumber(span.offset_ns),
      duration_ns: numberOf(span.duration_ns),
    })),
  };
}

function numberOf(time: number | null): number | null {
  return time === null ? null : nearestNumber(time);
}
