import { Database } from '@app/database';
import { Outbox, type OutboxDraft } from '@app/dispatch';
import type { ExecutionRef } from '@app/events';
import { Clock, newId, type Scope } from '@app/kernel';
import { currentContext, newSpanId, noteExecution, traceContextFrom, traceparentOf } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { executionFinished, executionQueued } from './execution.events.js';
import { ExecutionGate, type GateVerdict } from './execution-gate.js';
import { ExecutionRepository } from './execution.repository.js';
import { inSpanOf } from './execution-span.js';
import { isFinal } from './execution-state.js';
import type { CreateExecution, Execution, ExecutionAssignment, NewExecution, TraceOrigin } from './execution.types.js';
import { newExecution } from './new-execution.js';

/** Inserts executions: as pending with their delivery if the gate allows them, otherwise as failed with the reason. */
@Injectable()
export class ExecutionAdmission {
  constructor(
    private readonly database: Database,
    private readonly executions: ExecutionRepository,
    private readonly outbox: Outbox,
    private readonly gate: ExecutionGate,
    private readonly clock: Clock,
  ) {}

  /** Commits the gate's decision and the execution in one transaction. */
  async admit(scope: Scope, request: CreateExecution, assignment: ExecutionAssignment | null): Promise<Execution> {
    const proposed = { ...request, executionId: request.executionId ?? newId(), assignment };
    const startedAt = this.clock.millis();
    const decision = await this.gate.decide(scope, proposed);
    const pending = {
      status: 'pending',
      error_message: null,
      worker_queue_id: assignment?.workerQueueId ?? null,
    } as const;
    if (decision === undefined) return this.insert(scope, proposed, { initial: pending, startedAt });
    const gate = { started_at: startedAt, ended_at: this.clock.millis() };
    const initial = decision.denial === null ? pending : failedWith(decision.denial);
    return this.database.transaction(async () => {
      await decision.record();
      return this.insert(scope, proposed, { initial, startedAt, gate });
    });
  }

  /** Returns what the gate says of an execution. Stores nothing. */
  async verdictOn(
    scope: Scope,
    request: CreateExecution,
    assignment: ExecutionAssignment | null,
  ): Promise<GateVerdict> {
    const decision = await this.gate.decide(scope, { ...request, executionId: newId(), assignment });
    return decision?.verdict ?? { allowed: true, violations: [], policiesEvaluated: 0 };
  }

  /** Inserts a failed execution, without a decision of the gate. */
  async insertFailed(scope: Scope, request: CreateExecution, reason: string): Promise<Execution> {
    return this.insert(scope, request, { initial: failedWith(reason), startedAt: this.clock.millis() });
  }

  private async insert(
    scope: Scope,
    request: CreateExecution,
    { initial, startedAt, gate = null }: Admission,
  ): Promise<Execution> {
    const { traceId, spanId: callerSpanId, traceState } = currentContext() ?? traceContextFrom(null);
    const spanId = newSpanId();
    const execution = newExecution(scope, request, this.clock.now(), {
      ...initial,
      traceparent: traceparentOf({ traceId, spanId }),
      trace_origin: {
        parent_span_id: callerSpanId,
        trace_state: traceState,
        started_at: startedAt,
        gate,
      },
    });
    const ref = { organizationId: scope.organizationId, executionId: execution.id };
    noteExecution({ executionId: execution.id, spanId });
    const message = inSpanOf(execution, () => this.messageOf(ref, execution));
    await this.executions.insert(execution, message, request.sourceId ?? null);
    return execution;
  }

  /** Returns the outbox message of a new execution; undefined for a pending one that no queue delivers. */
  private messageOf(ref: ExecutionRef, execution: NewExecution): OutboxDraft | undefined {
    const { worker_queue_id: queueId, attempt } = execution;
    if (isFinal(execution.status)) return this.outbox.draft(executionFinished, { ...ref, from: 'pending' });
    return queueId === null ? undefined : this.outbox.draft(executionQueued, { ...ref, attempt, queueId });
  }
}

/** The state of a new execution, and the times of the decision about it. */
interface Admission {
  readonly initial: InitialState;
  readonly startedAt: number;
  readonly gate?: TraceOrigin['gate'];
}

type InitialState = Pick<NewExecution, 'status' | 'error_message' | 'worker_queue_id'>;

function failedWith(reason: string): InitialState {
  return { status: 'failed', error_message: reason, worker_queue_id: null };
}
