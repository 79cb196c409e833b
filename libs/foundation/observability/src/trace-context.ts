import { createHash, randomUUID } from 'node:crypto';

/** The place of some work in a trace, after W3C Trace Context. */
export interface TraceContext {
  /** 32 lower-case hex digits, not all zero. */
  readonly traceId: string;
  /** The innermost span that the work belongs to: 16 lower-case hex digits. Null: none, so its spans are roots. */
  readonly spanId: string | null;
  /** What other tracing systems pass along; null: nothing. */
  readonly traceState: string | null;
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;
const ALL_ZERO = /^0+$/;
/** W3C requires that 512 characters are passed along. A longer state, or one with other characters, is left out. */
const TRACE_STATE = /^[\x20-\x7e]{1,512}$/;
const NO_SPAN = '0'.repeat(16);

/** Returns the context of a caller; a new trace if `traceparent` is missing or malformed. */
export function traceContextFrom(traceparent: string | null | undefined, traceState?: string | null): TraceContext {
  const [, traceId = NO_SPAN, spanId = NO_SPAN] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  if (ALL_ZERO.test(traceId)) return { traceId: randomUUID().replaceAll('-', ''), spanId: null, traceState: null };
  return {
    traceId,
    spanId: ALL_ZERO.test(spanId) ? null : spanId,
    traceState: typeof traceState === 'string' && TRACE_STATE.test(traceState) ? traceState : null,
  };
}

/** Returns the trace id of a `traceparent`; a new one if it is missing or malformed. */
export function traceIdFrom(traceparent: string | null | undefined): string {
  return traceContextFrom(traceparent).traceId;
}

/**
 * Returns a `traceparent` header. Without a span its span id is zero: `traceContextFrom` reads it as the same context,
 * other readers start a new trace.
 */
export function traceparentOf(
  { traceId, spanId }: Pick<TraceContext, 'traceId' | 'spanId'>,
  { isSampled } = { isSampled: true },
): string {
  return `00-${traceId}-${spanId ?? NO_SPAN}-${isSampled ? '01' : '00'}`;
}

export function newSpanId(): string {
  const id = randomUUID();
  return id.slice(24) + id.slice(0, 4);
}

/** Returns the id of a span that several processes name without sending it to each other: a hash of what it is. */
export function derivedSpanId(...parts: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}
