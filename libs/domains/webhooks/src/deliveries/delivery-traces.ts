import { ExecutionService, traceOf } from '@app/executions';
import { Clock, type Scope } from '@app/kernel';
import { createLogger, newSpanId, traceparentOf, type TraceContext } from '@app/observability';
import { PlatformSpansService, toSentSpan, type PlatformSpan, type SentSpan } from '@app/traces';
import { Injectable } from '@nestjs/common';
import type { AttemptResult, ClaimedDelivery } from './webhook-delivery.types.js';

/** An attempt with its place in the trace of the execution whose event it delivers. */
export interface TracedAttempt {
  readonly delivery: ClaimedDelivery;
  /** The execution and its span; undefined for a test, for an execution that was deleted and if tracing is off. */
  readonly execution: { readonly id: string; readonly trace: TraceContext } | undefined;
  readonly spanId: string;
}

/** An attempt that was made. Times are milliseconds since 1970. */
export interface MadeAttempt extends TracedAttempt {
  readonly url: string;
  readonly startedAt: number;
  readonly result: Omit<AttemptResult, 'request_headers'>;
}

/** Relates deliveries to the traces of their executions: subscribers receive the context, and each attempt is a span. */
@Injectable()
export class DeliveryTraces {
  private readonly logger = createLogger('webhooks');

  constructor(
    private readonly executions: ExecutionService,
    private readonly spans: PlatformSpansService,
    private readonly clock: Clock,
  ) {}

  /** Never rejects: without the traces of the executions, the attempts are made untraced. */
  async open(scope: Scope, deliveries: readonly ClaimedDelivery[]): Promise<TracedAttempt[]> {
    const found = await this.tracesOf(scope, deliveries);
    return deliveries.map((delivery) => {
      const id = delivery.execution_id ?? '';
      const trace = traceOf({ traceparent: found.get(id) ?? null });
      return { delivery, execution: trace === undefined ? undefined : { id, trace }, spanId: newSpanId() };
    });
  }

  private async tracesOf(scope: Scope, deliveries: readonly ClaimedDelivery[]): Promise<ReadonlyMap<string, string>> {
    const ids = new Set(deliveries.flatMap(({ execution_id: id }) => id ?? []));
    if (!this.spans.isEnabled || ids.size === 0) return new Map();
    try {
      return await this.executions.tracesByIds(scope, [...ids]);
    } catch (error) {
      this.logger.warn({ reason: (error as Error).message, attempts: deliveries.length }, 'deliveries are not traced');
      return new Map();
    }
  }

  /** Never rejects: a delivery does not depend on its span. */
  async record(scope: Scope, attempts: readonly MadeAttempt[]): Promise<void> {
    const endedAt = this.clock.millis();
    try {
      await this.spans.store(
        scope,
        attempts.flatMap((attempt) => spanOf(attempt, endedAt)),
      );
    } catch (error) {
      this.logger.warn(
        { reason: (error as Error).message, attempts: attempts.length },
        'spans of deliveries not stored',
      );
    }
  }
}

/** Returns the headers that carry the span of the attempt to the subscriber. */
export function traceHeadersOf({ execution, spanId }: TracedAttempt): Record<string, string> {
  return execution === undefined ? {} : { traceparent: traceparentOf({ ...execution.trace, spanId }) };
}

function spanOf({ delivery, execution, spanId, url, startedAt, result }: MadeAttempt, endedAt: number): SentSpan[] {
  if (execution === undefined) return [];
  const { response_ms: duration, response_status: status, error } = result;
  const span: PlatformSpan = {
    spanId,
    parentSpanId: execution.trace.spanId,
    name: `deliver ${delivery.event_type}`,
    kind: 'CLIENT',
    startedAt,
    endedAt: duration === null ? endedAt : startedAt + duration,
    attributes: {
      'http.request.method': 'POST',
      'http.response.status_code': status === null ? undefined : BigInt(status),
      'server.address': new URL(url).hostname,
      'platform.webhook.id': delivery.webhook_id,
      'platform.delivery.id': delivery.id,
      'platform.attempt': BigInt(delivery.attempts),
      'error.type': error === null ? undefined : (status?.toString() ?? '_OTHER'),
    },
    error,
  };
  return [toSentSpan(execution.trace, execution.id, span)];
}
