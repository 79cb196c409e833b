import type { JsonObject } from '@app/kernel';
import type { Lease, LeaseRef } from './lease.js';

/** Who the worker is after it started. */
export interface StartedWorker {
  readonly workerId: string;
  readonly queueName: string;
  /** Seconds between heartbeats the queue asks for. */
  readonly heartbeatInterval: number;
  readonly gateway: { readonly url: string | null; readonly apiKey: string | null };
}

/** What the control plane asks of a worker in a heartbeat's answer. Unknown commands are ignored. */
export interface WorkerCommand {
  readonly command: string;
  readonly executionId: string;
}

export interface HeartbeatAnswer {
  /** Seconds between heartbeats the queue asks for now. */
  readonly intervalSeconds: number;
  /** Repeated with each answer until they are obeyed. */
  readonly commands: readonly WorkerCommand[];
}

export interface ExecutionUpdate {
  readonly status?: 'running' | 'completed' | 'failed';
  readonly response?: string;
  readonly error_message?: string;
  readonly usage?: JsonObject;
  readonly execution_metadata?: JsonObject;
}

export interface ExecutionEvent {
  readonly event_type: string;
  readonly data: JsonObject;
  readonly timestamp: string;
  /** Names the event: sent again under the same key, it is published once. */
  readonly key?: string;
}

export interface JobStatusReport {
  readonly status: 'completed' | 'failed';
  readonly duration_ms: number;
  readonly error_message?: string;
}

export interface TaskRecord {
  readonly task_id: string;
  readonly task_description: string;
  readonly task_type: string;
  readonly status: 'completed' | 'failed';
  readonly started_at: string;
  readonly completed_at: string;
  readonly duration_ms: number;
  readonly result?: string;
  readonly error_message?: string;
  readonly metadata: JsonObject;
}

export interface Disconnection {
  readonly reason: string;
  readonly exit_code: number;
  readonly error_message?: string;
}

/** All a worker says to the platform. Every method fails with a ControlPlaneError; the signal ends a call early. */
export interface ControlPlanePort {
  start(signal: AbortSignal): Promise<StartedWorker>;
  poll(workerId: string, max: number, signal: AbortSignal): Promise<readonly Lease[]>;
  heartbeat(workerId: string, isBusy: boolean, signal: AbortSignal): Promise<HeartbeatAnswer>;
  patchExecution(lease: LeaseRef, update: ExecutionUpdate, signal: AbortSignal): Promise<void>;
  publishEvent(lease: LeaseRef, event: ExecutionEvent, signal: AbortSignal): Promise<void>;
  reportJobStatus(lease: LeaseRef, jobId: string, report: JobStatusReport, signal: AbortSignal): Promise<void>;
  createTask(lease: LeaseRef, task: TaskRecord, signal: AbortSignal): Promise<void>;
  disconnect(workerId: string, disconnection: Disconnection, signal: AbortSignal): Promise<void>;
}
