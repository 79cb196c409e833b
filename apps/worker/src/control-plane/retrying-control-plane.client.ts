import { randomUUID } from 'node:crypto';
import { backoff, withRetries, type Backoff, type RetryPolicy } from '@app/api-client';
import type { JsonObject } from '@app/kernel';
import type { Logger } from '@app/observability';
import { ControlPlaneError } from './control-plane.errors.js';
import type {
  ControlPlanePort,
  Disconnection,
  ExecutionEvent,
  ExecutionUpdate,
  HeartbeatResponse,
  JobStatusReport,
  KnowledgeText,
  KnowledgeTitle,
  MessageBatch,
  PlanAnswer,
  PlanChoice,
  StartedWorker,
  StepReport,
  TaskRecord,
  WorkerCommand,
} from './control-plane.port.js';
import type { History } from '../conversation/conversation.js';
import type { Lease, LeaseRef } from './lease.js';
import type { OutputFile } from '../workspace/output-files.js';

/** Attempts of a request to which the control plane responds with an internal error. */
const BROKEN_ATTEMPTS = 5;
const BACKOFF: Backoff = { baseDelayMs: 100, maxDelayMs: 5_000 };

/**
 * Survives restarts of the control plane: a call that finds it unavailable is retried until the caller's signal is
 * aborted. All writes are idempotent, by nature or by their key.
 */
export class RetryingControlPlaneClient implements ControlPlanePort {
  constructor(
    private readonly inner: ControlPlanePort,
    private readonly logger: Logger,
  ) {}

  start(signal: AbortSignal): Promise<StartedWorker> {
    const key = randomUUID();
    return this.retry('start', signal, () => this.inner.start(signal, key));
  }

  poll(workerId: string, max: number, signal: AbortSignal): Promise<readonly Lease[]> {
    return this.retry('poll', signal, () => this.inner.poll(workerId, max, signal));
  }

  heartbeat(workerId: string, executionIds: readonly string[], signal: AbortSignal): Promise<HeartbeatResponse> {
    return this.retry('heartbeat', signal, () => this.inner.heartbeat(workerId, executionIds, signal));
  }

  receiveCommands(
    webSocketUrl: string,
    onCommand: (command: WorkerCommand) => void,
    signal: AbortSignal,
  ): Promise<void> {
    return this.retry('WebSocket', signal, () => this.inner.receiveCommands(webSocketUrl, onCommand, signal));
  }

  patchExecution(lease: LeaseRef, update: ExecutionUpdate, signal: AbortSignal): Promise<string> {
    return this.retry('patch execution', signal, () => this.inner.patchExecution(lease, update, signal), lease);
  }

  publishEvent(lease: LeaseRef, event: ExecutionEvent, signal: AbortSignal): Promise<void> {
    const keyed = { ...event, key: randomUUID() };
    return this.retry('publish event', signal, () => this.inner.publishEvent(lease, keyed, signal), lease);
  }

  reportJobStatus(lease: LeaseRef, jobId: string, report: JobStatusReport, signal: AbortSignal): Promise<void> {
    return this.retry(
      'report job status',
      signal,
      () => this.inner.reportJobStatus(lease, jobId, report, signal),
      lease,
    );
  }

  createTask(lease: LeaseRef, task: TaskRecord, signal: AbortSignal): Promise<void> {
    return this.retry('create task', signal, () => this.inner.createTask(lease, task, signal), lease);
  }

  saveToolCall(lease: LeaseRef, call: JsonObject, signal: AbortSignal): Promise<void> {
    return this.retry('save tool call', signal, () => this.inner.saveToolCall(lease, call, signal), lease);
  }

  reportSteps(lease: LeaseRef, steps: readonly StepReport[], signal: AbortSignal): Promise<void> {
    return this.retry('report steps', signal, () => this.inner.reportSteps(lease, steps, signal), lease);
  }

  plan(lease: LeaseRef, choice: PlanChoice, signal: AbortSignal): Promise<PlanAnswer> {
    return this.retry('plan', signal, () => this.inner.plan(lease, choice, signal), lease);
  }

  readConversation(lease: LeaseRef, sessionId: string | null, signal: AbortSignal): Promise<History> {
    return this.retry('read conversation', signal, () => this.inner.readConversation(lease, sessionId, signal), lease);
  }

  appendMessages(lease: LeaseRef, batch: MessageBatch, signal: AbortSignal): Promise<void> {
    return this.retry('append messages', signal, () => this.inner.appendMessages(lease, batch, signal), lease);
  }

  waitForInput(lease: LeaseRef, usage: JsonObject, signal: AbortSignal): Promise<void> {
    return this.retry('wait for input', signal, () => this.inner.waitForInput(lease, usage, signal), lease);
  }

  searchKnowledge(lease: LeaseRef, query: string, signal: AbortSignal): Promise<readonly KnowledgeTitle[]> {
    return this.retry('search knowledge', signal, () => this.inner.searchKnowledge(lease, query, signal), lease);
  }

  readKnowledge(lease: LeaseRef, id: string, signal: AbortSignal): Promise<KnowledgeText> {
    return this.retry('read knowledge', signal, () => this.inner.readKnowledge(lease, id, signal), lease);
  }

  uploadFile(lease: LeaseRef, file: OutputFile, signal: AbortSignal): Promise<void> {
    return this.retry('upload file', signal, () => this.inner.uploadFile(lease, file, signal), lease);
  }

  disconnect(workerId: string, disconnection: Disconnection, signal: AbortSignal): Promise<void> {
    return this.retry('disconnect', signal, () => this.inner.disconnect(workerId, disconnection, signal));
  }

  private retry<T>(what: string, signal: AbortSignal, operation: () => Promise<T>, lease?: LeaseRef): Promise<T> {
    const policy: RetryPolicy = (error, failures) => {
      const delay = retryDelay(error, failures);
      if (delay !== null && error instanceof ControlPlaneError) this.logRetry(what, error, failures, lease);
      return delay;
    };
    return withRetries(operation, policy, signal);
  }

  /** Logs the failures number 1, 2, 4, 8 and so on of an outage. */
  private logRetry(what: string, error: ControlPlaneError, failures: number, lease?: LeaseRef): void {
    if ((failures & (failures - 1)) !== 0) return;
    const ids = lease ? { execution_id: lease.executionId, trace_id: lease.trace.traceId } : {};
    this.logger.warn(
      { ...ids, request_id: error.requestId, failures, reason: error.message },
      `${what} failed, retrying`,
    );
  }
}

/** The delay in milliseconds before the next attempt; `null` if another attempt is useless. */
export function retryDelay(error: unknown, failures: number): number | null {
  if (!(error instanceof ControlPlaneError)) return null;
  const repeatable = error.kind === 'unavailable' || (error.kind === 'broken' && failures < BROKEN_ATTEMPTS);
  if (!repeatable) return null;
  const delay = backoff(failures, BACKOFF);
  return error.retryAfterMs === null ? delay : error.retryAfterMs + delay / 2;
}
