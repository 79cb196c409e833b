import { Database } from '@app/database';
import { Outbox, type OutboxDraft } from '@app/dispatch';
import type { ExecutionRef } from '@app/events';
import { Clock, newId, type Scope } from '@app/kernel';
import { currentContext, newSpanId, noteExecution, traceContextFrom, traceparentOf } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { executionFinished, executionQueued } from './execution.events.js';
import { ExecutionGate, type GateVerdict } from './execution-gate.js';
import { sessionBusy } from './execution.errors.js';
import { ExecutionRepository } from './execution.repository.js';
import { inSpanOf } from './execution-span.js';
import { isFinal } from './execution-state.js';
import type {
  CreateExecution,
  ExecutionAssignment,
  NewExecution,
  StartedExecution,
  TraceOrigin,
} from './execution.types.js';
import { newExecution } from './new-execution.js';
import { turnOf } from '../session-turns/session-of-start.js';
import { SessionTurns } from '../session-turns/session-turns.js';
import type { RequestedTurn } from '../session-turns/turn.types.js';

/**
 * Inserts executions: as pending if the gate allows them, otherwise as failed with the reason. A pending one is delivered
 * at once, or after the executions of its session that were accepted before it.
 */
@Injectable()
export class ExecutionAdmission {
  constructor(
    private readonly database: Database,
    private readonly executions: ExecutionRepository,
    private readonly outbox: Outbox,
    private readonly gate: ExecutionGate,
    private readonly turns: SessionTurns,
    private readonly clock: Clock,
  ) {}

  /** Commits the gate's decision and the execution in one transaction. */
  async admit(
    scope: Scope,
    request: CreateExecution,
    assignment: ExecutionAssignment | null,
  ): Promise<StartedExecution> {
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
  async insertFailed(scope: Scope, request: CreateExecution, reason: string): Promise<StartedExecution> {
    return this.insert(scope, request, { initial: failedWith(reason), startedAt: this.clock.millis() });
  }

  private async insert(
    scope: Scope,
    request: CreateExecution,
    { initial, startedAt, gate = null }: Admission,
  ): Promise<StartedExecution> {
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
    noteExecution({ executionId: execution.id, spanId });
    const turn = turnOf(request);
    if (turn !== null) return this.database.transaction(() => this.insertTurn(execution, turn, request));
    await this.insertRow(execution, request);
    return { ...execution, waitsFor: null };
  }

  /** Inserts an execution of a session. Throws `session_busy` if it must not wait and another one has not ended. */
  private async insertTurn(
    execution: NewExecution,
    requested: RequestedTurn,
    request: CreateExecution,
  ): Promise<StartedExecution> {
    const { turn, before } = await this.turns.take(execution, requested);
    const isBlocked = before !== undefined && execution.status === 'pending';
    if (isBlocked && requested.multitask === 'reject') throw sessionBusy(before);
    const isHeld = isBlocked && requested.multitask === 'enqueue' && execution.queued_at !== null;
    const placed = { ...execution, session_id: requested.sessionId, session_turn: turn };
    await this.insertRow(isHeld ? heldBack(placed, before.id) : placed, request);
    return { ...placed, waitsFor: isHeld ? before.id : null };
  }

  private async insertRow(execution: NewExecution, { sourceId }: CreateExecution): Promise<void> {
    const ref = { organizationId: execution.organization_id, executionId: execution.id };
    const message = inSpanOf(execution, () => this.messageOf(ref, execution));
    await this.executions.insert(execution, message, sourceId ?? null);
  }

  /** Returns the outbox message of a new execution; undefined for a pending one that no queue delivers yet. */
  private messageOf(ref: ExecutionRef, execution: NewExecution): OutboxDraft | undefined {
    const { worker_queue_id: queueId, queued_at: queuedAt, attempt } = execution;
    if (isFinal(execution.status)) return this.outbox.draft(executionFinished, { ...ref, from: 'pending' });
    return queueId === null || queuedAt === null
      ? undefined
      : this.outbox.draft(executionQueued, { ...ref, attempt, queueId });
  }
}

/** Returns the row of an execution that no queue delivers before the end of another one. */
function heldBack(execution: NewExecution, waitsFor: string): NewExecution {
  const { trace_origin: origin } = execution;
  return { ...execution, queued_at: null, trace_origin: origin && { ...origin, waits_for: waitsFor } };
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
