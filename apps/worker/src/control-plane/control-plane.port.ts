import type { JsonObject } from '@app/kernel';
import type { History } from '../conversation/conversation.js';
import type { Lease, LeaseRef } from './lease.js';
import type { OutputFile } from '../workspace/output-files.js';

/** A worker session, as registered by the control plane. */
export interface StartedWorker {
  readonly workerId: string;
  readonly queueName: string;
  /** The queue's heartbeat interval, in seconds. */
  readonly heartbeatInterval: number;
  readonly gateway: { readonly url: string | null; readonly apiKey: string | null };
  /** WebSocket over which the control plane pushes commands; null if it offers none. */
  readonly webSocketUrl: string | null;
}

/** What a worker declares that it can run. */
export interface WorkerOffer {
  /** Ids of all its runtimes. */
  readonly runtimes: readonly string[];
  /** Types of its built-in skills. */
  readonly skills: readonly string[];
}

/** A command of the control plane. Unknown commands are ignored. */
export interface WorkerCommand {
  readonly command: string;
  /** Null for a command to the worker itself. */
  readonly executionId: string | null;
}

export interface HeartbeatResponse {
  /** The queue's current heartbeat interval, in seconds. */
  readonly intervalSeconds: number;
  /** Repeated in each response until the execution changes its state, at most for two lease lengths. */
  readonly commands: readonly WorkerCommand[];
}

export interface ExecutionUpdate {
  readonly status?: 'running' | 'completed' | 'failed';
  readonly response?: string;
  readonly error_message?: string;
  readonly failure_reason?: 'failed' | 'timeout';
  readonly usage?: JsonObject;
  readonly execution_metadata?: JsonObject;
}

export interface ExecutionEvent {
  readonly event_type: string;
  readonly data: JsonObject;
  readonly timestamp: string;
  /** Idempotency key: an event sent again under the same key is published once. */
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

/** The state of a step of a workflow. A report replaces the earlier report of the same step. Times are RFC 3339. */
export interface StepReport {
  readonly name: string;
  readonly status: 'running' | 'completed' | 'failed' | 'skipped';
  /** Number of started attempts of the step, in all attempts of the execution. */
  readonly attempt: number;
  readonly output?: string;
  readonly error_message?: string;
  readonly started_at?: string;
  readonly completed_at?: string;
  readonly usage?: JsonObject;
}

/** What the model chose for an execution without an entity. */
export interface PlanChoice {
  readonly entity_type: 'agent' | 'team';
  readonly entity_id: string;
  /** Null keeps the prompt of the execution. */
  readonly prompt: string | null;
  readonly reason: string;
}

/** The lease for the chosen agent or team, or why policies deny the choice; a denied execution has failed. */
export type PlanAnswer = { readonly lease: Lease } | { readonly denial: string };

/** Messages to store. A message whose `message_id` is already stored is skipped. */
export interface MessageBatch {
  /** Null keeps the stored session id. */
  readonly session_id: string | null;
  readonly messages: readonly JsonObject[];
}

/** A knowledge entry without its content. */
export interface KnowledgeTitle {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
}

export interface KnowledgeText extends KnowledgeTitle {
  readonly content: string | null;
}

export interface Disconnection {
  readonly reason: string;
  readonly exit_code: number;
  readonly error_message?: string;
}

/**
 * The worker protocol. Every method rejects with a ControlPlaneError, or with the signal's reason when it is aborted.
 */
export interface ControlPlanePort {
  /** Repeated calls with the same idempotency key start one worker. */
  start(signal: AbortSignal, idempotencyKey?: string): Promise<StartedWorker>;
  poll(workerId: string, max: number, signal: AbortSignal): Promise<readonly Lease[]>;
  /** Renews the leases of these executions only: those that the worker runs. */
  heartbeat(workerId: string, executionIds: readonly string[], signal: AbortSignal): Promise<HeartbeatResponse>;
  /**
   * Receives commands over the offered WebSocket until the signal is aborted. A command can arrive more than once:
   * heartbeats also return the commands for executions.
   */
  receiveCommands(
    webSocketUrl: string,
    onCommand: (command: WorkerCommand) => void,
    signal: AbortSignal,
  ): Promise<void>;
  /** Returns the status of the execution: after a failure that is followed by a further attempt, `pending`. */
  patchExecution(lease: LeaseRef, update: ExecutionUpdate, signal: AbortSignal): Promise<string>;
  publishEvent(lease: LeaseRef, event: ExecutionEvent, signal: AbortSignal): Promise<void>;
  reportJobStatus(lease: LeaseRef, jobId: string, report: JobStatusReport, signal: AbortSignal): Promise<void>;
  createTask(lease: LeaseRef, task: TaskRecord, signal: AbortSignal): Promise<void>;
  /** Saves a tool call that has ended. Idempotent by its `id`. */
  saveToolCall(lease: LeaseRef, call: JsonObject, signal: AbortSignal): Promise<void>;
  reportSteps(lease: LeaseRef, steps: readonly StepReport[], signal: AbortSignal): Promise<void>;
  /** Rejects with kind `refused` if the choice is no longer a candidate. */
  plan(lease: LeaseRef, choice: PlanChoice, signal: AbortSignal): Promise<PlanAnswer>;
  /** Returns the stored messages of the execution and those of earlier executions of the session. */
  readConversation(lease: LeaseRef, sessionId: string | null, signal: AbortSignal): Promise<History>;
  appendMessages(lease: LeaseRef, batch: MessageBatch, signal: AbortSignal): Promise<void>;
  /** Sets the execution to wait for input, and ends its lease. */
  waitForInput(lease: LeaseRef, usage: JsonObject, signal: AbortSignal): Promise<void>;
  /** Finds knowledge entries in the context of the execution, the best matches first. */
  searchKnowledge(lease: LeaseRef, query: string, signal: AbortSignal): Promise<readonly KnowledgeTitle[]>;
  readKnowledge(lease: LeaseRef, id: string, signal: AbortSignal): Promise<KnowledgeText>;
  /** Stores a file of the execution, or replaces the one with its name. */
  uploadFile(lease: LeaseRef, file: OutputFile, signal: AbortSignal): Promise<void>;
  disconnect(workerId: string, disconnection: Disconnection, signal: AbortSignal): Promise<void>;
}
