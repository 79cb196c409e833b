import { newId } from '@app/kernel';
import { currentContext, derivedSpanId, runInContext, traceContextFrom, type TraceContext } from '@app/observability';
import type { Execution } from './execution.types.js';

/** A lease, as its span is named. */
export interface LeasePeriod {
  /** Counts from 1. An attempt has several leases if a worker handed it back. */
  readonly attempt: number;
  readonly leasedAt: Date;
}

/** Returns the context whose span is the execution; undefined if it was started without a trace. */
export function traceOf({ traceparent }: Pick<Execution, 'traceparent'>): TraceContext | undefined {
  return traceparent === null ? undefined : traceContextFrom(traceparent);
}

/**
 * Runs work that concerns one execution: its log lines and outbox messages name the execution, its trace and its span,
 * whoever caused the work.
 */
export function inSpanOf<T>(execution: Pick<Execution, 'id' | 'traceparent'>, work: () => T): T {
  const trace = traceOf(execution);
  if (trace === undefined) return work();
  const caller = currentContext();
  const traceState = caller?.traceId === trace.traceId ? caller.traceState : null;
  const { executionSpanId: _other, ...others } = caller ?? { requestId: newId() };
  return runInContext({ ...others, ...trace, traceState, executionId: execution.id }, work);
}

/**
 * Returns the id of the span of a lease. The worker gets it with the lease, and the span itself is made of the ledger
 * when the execution has ended.
 */
export function leaseSpanId(executionSpanId: string, { attempt, leasedAt }: LeasePeriod): string {
  return derivedSpanId('lease', executionSpanId, attempt, leasedAt.getTime());
}
