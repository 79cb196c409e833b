import { randomUUID } from 'node:crypto';
import { backoff, withRetries, type RetryPolicy } from '@app/api-client';
import type { Logger } from '@app/observability';
import { ControlPlaneError } from './control-plane.errors.js';
import type {
  ControlPlanePort,
  Disconnection,
  ExecutionEvent,
  ExecutionUpdate,
  HeartbeatAnswer,
  JobStatusReport,
  StartedWorker,
  TaskRecord,
} from './control-plane.port.js';
import type { Lease, LeaseRef } from './lease.js';

/** Tries of a request the control plane answers with an error of its own. */
const BROKEN_TRIES = 5;
const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5_000;

/**
 * Sits in front of a control plane and outlasts its restarts: what is only unavailable is tried again until the caller's
 * signal ends it. All writes are safe to repeat: what is not so by itself has a key.
 */
export class PatientControlPlane implements ControlPlanePort {
  constructor(
    private readonly inner: ControlPlanePort,
    private readonly logger: Logger,
  ) {}

  start(signal: AbortSignal): Promise<StartedWorker> {
    return this.patiently('start', signal, () => this.inner.start(signal));
  }

  poll(workerId: string, max: number, signal: AbortSignal): Promise<readonly Lease[]> {
    return this.patiently('poll', signal, () => this.inner.poll(workerId, max, signal));
  }

  heartbeat(workerId: string, isBusy: boolean, signal: AbortSignal): Promise<HeartbeatAnswer> {
    return this.patiently('heartbeat', signal, () => this.inner.heartbeat(workerId, isBusy, signal));
  }

  patchExecution(lease: LeaseRef, update: ExecutionUpdate, signal: AbortSignal): Promise<void> {
    return this.patiently('patch execution', signal, () => this.inner.patchExecution(lease, update, signal), lease);
  }

  publishEvent(lease: LeaseRef, event: ExecutionEvent, signal: AbortSignal): Promise<void> {
    const once = { ...event, key: randomUUID() };
    return this.patiently('publish event', signal, () => this.inner.publishEvent(lease, once, signal), lease);
  }

  reportJobStatus(lease: LeaseRef, jobId: string, report: JobStatusReport, signal: AbortSignal): Promise<void> {
    return this.patiently(
      'report job status',
      signal,
      () => this.inner.reportJobStatus(lease, jobId, report, signal),
      lease,
    );
  }

  createTask(lease: LeaseRef, task: TaskRecord, signal: AbortSignal): Promise<void> {
    return this.patiently('create task', signal, () => this.inner.createTask(lease, task, signal), lease);
  }

  disconnect(workerId: string, disconnection: Disconnection, signal: AbortSignal): Promise<void> {
    return this.patiently('disconnect', signal, () => this.inner.disconnect(workerId, disconnection, signal));
  }

  private patiently<T>(what: string, signal: AbortSignal, operation: () => Promise<T>, lease?: LeaseRef): Promise<T> {
    const policy: RetryPolicy = (error, failures) => {
      const delay = retryDelay(error, failures);
      if (delay !== null && error instanceof ControlPlaneError) this.noteRetry(what, error, failures, lease);
      return delay;
    };
    return withRetries(operation, policy, signal);
  }

  /** One line when an outage begins and one each time its length has doubled. */
  private noteRetry(what: string, error: ControlPlaneError, failures: number, lease?: LeaseRef): void {
    if ((failures & (failures - 1)) !== 0) return;
    const ids = lease ? { execution_id: lease.executionId, trace_id: lease.traceId } : {};
    this.logger.warn({ ...ids, request_id: error.requestId, failures, reason: error.message }, `${what}: trying again`);
  }
}

/** Milliseconds to wait before the next try; `null` where another try makes no sense. */
export function retryDelay(error: unknown, failures: number): number | null {
  if (!(error instanceof ControlPlaneError)) return null;
  const repeatable = error.kind === 'unavailable' || (error.kind === 'broken' && failures < BROKEN_TRIES);
  if (!repeatable) return null;
  const delay = backoff(failures, FIRST_DELAY_MS, LONGEST_DELAY_MS);
  return error.retryAfterMs === null ? delay : error.retryAfterMs + delay / 2;
}
