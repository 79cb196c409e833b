import { TracingConfig } from '@app/config';
import { ExecutionService, type Execution } from '@app/executions';
import { Clock, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { SpanAdmission } from '../ingest/span-admission.js';
import { executionSpanName } from '../platform/execution-spans.js';
import { PLATFORM_SERVICE } from '../platform/platform-span.js';
import type { Trace } from '../trace.types.js';

/** Milliseconds within which the spans of an ended execution are stored, except in an overloaded platform. */
const STORED_WITHIN_MS = 10_000;
/** Maximum number of executions of a trace of which one must be monitored. */
const MAX_EXECUTIONS = 20;
const TRACE_ID = /^[0-9a-f]{32}$/;

/**
 * Traces without a span, whose ids executions have announced already: those of executions that run, and of ended ones whose
 * spans are about to be stored.
 */
@Injectable()
export class AnnouncedTraces {
  constructor(
    private readonly executions: ExecutionService,
    private readonly admission: SpanAdmission,
    private readonly clock: Clock,
    private readonly config: TracingConfig,
  ) {}

  /** Returns undefined if no span of the platform will belong to the trace. */
  async find(scope: Scope, id: string): Promise<Trace | undefined> {
    const traceId = id.toLowerCase();
    if (!this.config.isEnabled || !TRACE_ID.test(traceId)) return undefined;
    const endedSince = new Date(this.clock.millis() - STORED_WITHIN_MS);
    const found = await this.executions.recentByTrace(scope, traceId, { endedSince, limit: MAX_EXECUTIONS });
    const [execution] = await this.admission.monitored(scope, found);
    return execution === undefined ? undefined : runningTrace(traceId, execution);
  }
}

/** Its id is that of the protocol, with which the trace is found also after its first span. */
function runningTrace(traceId: string, execution: Execution): Trace {
  const start_ns = String(BigInt(execution.created_at.getTime()) * 1_000_000n);
  return {
    organization_id: execution.organization_id,
    trace_id: traceId,
    id: traceId,
    day: execution.created_at.toISOString().slice(0, 10),
    name: executionSpanName(execution),
    service_name: PLATFORM_SERVICE,
    named_by_root: false,
    named_by_start_ns: start_ns,
    named_by_span_id: '',
    execution_id: execution.id,
    execution_type: execution.execution_type,
    user_id: execution.user_id,
    user_email: execution.user_email,
    user_name: execution.user_name,
    user_avatar: execution.user_avatar,
    status: 'running',
    start_ns,
    ...{ end_ns: null, duration_ms: null },
    ...{ span_count: 0, error_count: 0, open_count: 0, root_count: 0, root_error_count: 0, bytes: '0' },
    ...{ models: [], input_tokens: null, output_tokens: null, total_tokens: null, cost_nanos: null },
    revision: 0,
    created_at: execution.created_at,
    updated_at: execution.updated_at,
  };
}
