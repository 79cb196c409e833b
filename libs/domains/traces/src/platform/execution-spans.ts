import { leaseSpanId, traceOf, type Attempt, type TracedExecution } from '@app/executions';
import { derivedSpanId, GEN_AI } from '@app/observability';
import type { SentSpan } from '../ingest/sent-span.js';
import { toSentSpan, type PlatformSpan } from './platform-span.js';

/**
 * Returns the spans that the platform knows of an ended execution: the execution itself and, below it, its trigger with
 * the decision of the policies, the wait in its session, each wait in the queue and each lease. Spans of the worker belong
 * to those of the leases. None without a trace.
 */
export function spansOfExecution(execution: TracedExecution): SentSpan[] {
  const trace = traceOf(execution);
  if (trace?.spanId == null) return [];
  const { spanId } = trace;
  const spans = [executionSpan(execution, spanId), ...triggerSpans(execution, spanId), ...turnSpans(execution, spanId)];
  execution.attempts.forEach((attempt) => spans.push(...attemptSpans(execution, spanId, attempt)));
  const traceState = execution.trace_origin?.trace_state ?? null;
  return spans.map((span, index) => laterBy(index, toSentSpan({ ...trace, traceState }, execution.id, span)));
}

/**
 * Lets a span begin some nanoseconds later, as long as it lasts. The times are milliseconds, and spans are read in the order
 * of their beginnings: what was queued in the millisecond of its trigger would precede it by chance.
 */
function laterBy(nanoseconds: number, span: SentSpan): SentSpan {
  const { start_time_unix_nano: start, end_time_unix_nano: end } = span;
  const later = start + BigInt(nanoseconds);
  return { ...span, start_time_unix_nano: later < end ? later : end };
}

function triggerSpans(execution: TracedExecution, executionSpanId: string): PlatformSpan[] {
  const { trace_origin: origin, created_at, trigger_type, job_id } = execution;
  if (origin === null) return [];
  const trigger: PlatformSpan = {
    spanId: derivedSpanId('trigger', executionSpanId),
    parentSpanId: executionSpanId,
    name: `trigger ${trigger_type ?? 'client'}`,
    startedAt: origin.started_at,
    endedAt: created_at.getTime(),
    attributes: { 'platform.trigger.type': trigger_type ?? undefined, 'platform.job.id': job_id ?? undefined },
  };
  if (origin.gate === null) return [trigger];
  const gate: PlatformSpan = {
    spanId: derivedSpanId('gate', executionSpanId),
    parentSpanId: trigger.spanId,
    name: 'check policies',
    startedAt: origin.gate.started_at,
    endedAt: origin.gate.ended_at,
    attributes: { 'platform.policy.allowed': !isDenied(execution) },
  };
  return [trigger, gate];
}

/** Returns the wait of an execution that was held back in its session, until it was queued or ended. */
function turnSpans(execution: TracedExecution, executionSpanId: string): PlatformSpan[] {
  const { trace_origin: origin, attempts, created_at, completed_at, waited_for } = execution;
  const first = origin?.waits_for;
  if (first === undefined) return [];
  const released = attempts.find(({ was_held }) => was_held);
  const isQueued = attempts.some(({ queued_at }) => queued_at !== null);
  // The beginning of a long ledger may be missing.
  if (released === undefined && isQueued) return [];
  return [
    {
      spanId: derivedSpanId('turn', executionSpanId),
      parentSpanId: executionSpanId,
      name: 'wait for session',
      startedAt: created_at.getTime(),
      endedAt: (released?.queued_at ?? completed_at).getTime(),
      attributes: {
        'platform.span.category': 'queue',
        'platform.session.id': execution.session_id ?? undefined,
        'platform.waited_for_execution.id': waited_for ?? first,
      },
    },
  ];
}

/** An execution that policies deny is stored as failed: it never enters a queue. */
function isDenied({ status, attempts, created_at, completed_at }: TracedExecution): boolean {
  return status === 'failed' && attempts.length === 0 && created_at.getTime() === completed_at.getTime();
}

export function executionSpanName({
  entity_name,
  execution_type,
}: Pick<TracedExecution, 'entity_name' | 'execution_type'>): string {
  return `execution ${entity_name ?? execution_type}`;
}

function executionSpan(execution: TracedExecution, spanId: string): PlatformSpan {
  const { trace_origin: origin, execution_type, entity_id, status, cause } = execution;
  return {
    spanId,
    parentSpanId: origin?.parent_span_id ?? null,
    name: executionSpanName(execution),
    kind: 'CONSUMER',
    startedAt: origin?.started_at ?? execution.created_at.getTime(),
    endedAt: execution.completed_at.getTime(),
    attributes: {
      'platform.execution.type': execution_type,
      'platform.execution.status': status,
      'platform.entity.id': entity_id ?? undefined,
      'platform.parent_execution.id': execution.parent_execution_id ?? undefined,
      [GEN_AI.errorType]: status === 'failed' || status === 'terminated' ? (cause ?? status) : undefined,
    },
    error: status === 'failed' || status === 'terminated' ? (execution.error_message ?? status) : null,
  };
}

function attemptSpans(execution: TracedExecution, executionSpanId: string, attempt: Attempt): PlatformSpan[] {
  const { queued_at, leased_at, ended_at, outcome } = attempt;
  const spans: PlatformSpan[] = [];
  const endedAt = (ended_at ?? execution.completed_at).getTime();
  if (queued_at !== null) {
    spans.push({
      spanId: derivedSpanId('queue', executionSpanId, attempt.attempt, queued_at.getTime()),
      parentSpanId: executionSpanId,
      name: 'queue',
      startedAt: queued_at.getTime(),
      endedAt: leased_at?.getTime() ?? endedAt,
      attributes: {
        'platform.span.category': 'queue',
        'platform.attempt': BigInt(attempt.attempt),
        'platform.queue.id': execution.worker_queue_id ?? undefined,
      },
    });
  }
  if (leased_at === null) return spans;
  const isFailed = outcome === 'failed' || outcome === 'lease_expired';
  spans.push({
    spanId: leaseSpanId(executionSpanId, { attempt: attempt.attempt, leasedAt: leased_at }),
    parentSpanId: executionSpanId,
    name: `attempt ${attempt.attempt}`,
    startedAt: leased_at.getTime(),
    endedAt,
    attributes: {
      'platform.span.category': 'lease',
      'platform.attempt': BigInt(attempt.attempt),
      'platform.attempt.outcome': outcome ?? undefined,
      'platform.worker.id': attempt.worker_id ?? undefined,
      'platform.worker.name': attempt.worker_name ?? undefined,
      [GEN_AI.errorType]: isFailed ? outcome : undefined,
    },
    error: isFailed ? (attempt.error_message ?? outcome) : null,
  });
  return spans;
}
