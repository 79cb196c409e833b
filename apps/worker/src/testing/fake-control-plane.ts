import type { JsonObject } from '@app/kernel';
import { once } from 'node:events';
import { ControlPlaneError } from '../control-plane/control-plane.errors.js';
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
} from '../control-plane/control-plane.port.js';
import { NO_HISTORY, type History } from '../conversation/conversation.js';
import type { OutputFile } from '../workspace/output-files.js';
import { readLease, type Lease, type LeaseRef } from '../control-plane/lease.js';

/** An in-memory control plane: returns the leases that a test queues and records all writes in order. */
export class FakeControlPlane implements ControlPlanePort {
  readonly writes: string[] = [];
  readonly events: ExecutionEvent[] = [];
  readonly updates: ExecutionUpdate[] = [];
  readonly toolCalls: JsonObject[] = [];
  /** The stored messages of all executions. */
  readonly messages: JsonObject[] = [];
  history: History = NO_HISTORY;
  readonly polledFor: number[] = [];
  readonly disconnections: Disconnection[] = [];
  /** The execution ids of each heartbeat. */
  readonly heartbeats: (readonly string[])[] = [];
  readonly queue: unknown[] = [];
  commands: WorkerCommand[] = [];
  heartbeatInterval = 0.2;
  /** The response to each plan. */
  planned: PlanAnswer = { denial: 'No plan is expected' };
  /** Whether a further attempt follows each failure. */
  repeatsFailures = false;
  starts = 0;
  /** Called before each write; an error that it throws fails the write. */
  onWrite: (what: string) => void = () => undefined;
  /** Called before each start, poll and heartbeat; an error that it throws fails the call. */
  onCall: (what: string) => void = () => undefined;
  /** Pushes a command over the WebSocket, if the worker has one. */
  push: (command: WorkerCommand) => void = () => undefined;
  /** Whether the control plane offers a WebSocket. */
  offersWebSocket = false;
  private wake: () => void = () => undefined;

  /** Queues leases in their wire format. */
  offer(...leases: unknown[]): void {
    this.queue.push(...leases);
    this.wake();
  }

  async start(): Promise<StartedWorker> {
    this.onCall('start');
    this.starts += 1;
    const gateway = { url: 'http://gateway.invalid/v1', apiKey: 'gateway-secret' };
    return {
      workerId: `worker-${this.starts}`,
      queueName: 'default',
      heartbeatInterval: this.heartbeatInterval,
      gateway,
      webSocketUrl: this.offersWebSocket ? 'ws://control-plane.invalid/commands' : null,
    };
  }

  async poll(_workerId: string, max: number, signal: AbortSignal): Promise<readonly Lease[]> {
    this.polledFor.push(max);
    this.onCall('poll');
    while (this.queue.length === 0) {
      await new Promise<void>((resolve, reject) => {
        this.wake = resolve;
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        if (signal.aborted) reject(signal.reason as Error);
      });
      this.onCall('poll');
    }
    return this.queue.splice(0, max).map((wire) => readLease(wire, Date.now()) as Lease);
  }

  async heartbeat(_workerId: string, executionIds: readonly string[]): Promise<HeartbeatResponse> {
    this.onCall('heartbeat');
    this.heartbeats.push(executionIds);
    return { intervalSeconds: this.heartbeatInterval, commands: this.commands.splice(0) };
  }

  async receiveCommands(
    _webSocketUrl: string,
    onCommand: (command: WorkerCommand) => void,
    signal: AbortSignal,
  ): Promise<void> {
    this.onCall('receiveCommands');
    this.push = onCommand;
    await once(signal, 'abort');
  }

  async patchExecution(lease: LeaseRef, update: ExecutionUpdate): Promise<string> {
    this.write(lease, `patch ${update.status}`);
    this.updates.push(update);
    return update.status === 'failed' && this.repeatsFailures ? 'pending' : (update.status ?? 'running');
  }

  async publishEvent(lease: LeaseRef, event: ExecutionEvent): Promise<void> {
    this.write(lease, `event ${event.event_type}`);
    this.events.push(event);
  }

  async saveToolCall(lease: LeaseRef, call: JsonObject): Promise<void> {
    this.write(lease, `tool call ${String(call['id'])}`);
    this.toolCalls.push(call);
  }

  async reportJobStatus(lease: LeaseRef, jobId: string, report: JobStatusReport): Promise<void> {
    this.write(lease, `job ${jobId} ${report.status}`);
  }

  async createTask(lease: LeaseRef, task: TaskRecord, _signal?: AbortSignal): Promise<void> {
    this.write(lease, `task ${task.status}`);
  }

  async reportSteps(lease: LeaseRef, steps: readonly StepReport[]): Promise<void> {
    for (const { name, status } of steps) this.write(lease, `step ${name} ${status}`);
  }

  async plan(lease: LeaseRef, choice: PlanChoice): Promise<PlanAnswer> {
    this.write(lease, `plan ${choice.entity_type} ${choice.entity_id}`);
    return this.planned;
  }

  async readConversation(): Promise<History> {
    return this.history;
  }

  async appendMessages(_lease: LeaseRef, { messages }: MessageBatch): Promise<void> {
    this.onWrite('messages');
    this.messages.push(...messages);
  }

  async waitForInput(lease: LeaseRef): Promise<void> {
    this.write(lease, 'wait for input');
  }

  async searchKnowledge(): Promise<readonly KnowledgeTitle[]> {
    return [];
  }

  async readKnowledge(_lease: LeaseRef, id: string): Promise<KnowledgeText> {
    return { id, name: id, description: null, content: null };
  }

  async uploadFile(lease: LeaseRef, { name }: OutputFile): Promise<void> {
    this.write(lease, `file ${name}`);
  }

  async disconnect(_workerId: string, disconnection: Disconnection): Promise<void> {
    this.disconnections.push(disconnection);
  }

  private write(lease: LeaseRef, what: string): void {
    this.onWrite(what);
    this.writes.push(`${lease.executionId}: ${what}`);
  }
}

/** The error of a write after the lease is lost. */
export const goneError = () => new ControlPlaneError('gone', 'The lease is no longer valid');
