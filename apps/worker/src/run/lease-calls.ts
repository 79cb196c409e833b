import type { JsonObject } from '@app/kernel';
import type { Logger } from '@app/observability';
import { isFailure } from '../control-plane/control-plane.errors.js';
import type {
  ControlPlanePort,
  ExecutionEvent,
  ExecutionUpdate,
  JobStatusReport,
  PlanAnswer,
  PlanChoice,
  StepReport,
  TaskRecord,
} from '../control-plane/control-plane.port.js';
import type { History } from '../conversation/conversation.js';
import { messageOf } from '../errors/error-text.js';
import { ToolCalls } from '../events/tool-calls.js';
import type { KnowledgeReader } from '../skills/knowledge-tools.js';
import type { OutputFile } from '../workspace/output-files.js';
import type { Lease, LeaseRef } from '../control-plane/lease.js';
import type { RunControl } from './run-control.js';

/** Maximum duration of a write after the end of the execution. */
const LATE_WRITE_MS = 10_000;
const lateSignal = (): AbortSignal => AbortSignal.timeout(LATE_WRITE_MS);

/**
 * The calls of one run to the control plane, under its lease. They abandon the run if the control plane responds that
 * the lease is no longer valid, and end when the run is abandoned.
 */
export class LeaseCalls {
  private readonly toolCalls: ToolCalls;

  constructor(
    private leased: Lease,
    private readonly controlPlane: ControlPlanePort,
    private readonly control: RunControl,
    private readonly logger: Logger,
  ) {
    this.toolCalls = new ToolCalls(controlPlane);
  }

  get lease(): Lease {
    return this.leased;
  }

  /** Continues under the lease that the control plane returned for a plan. */
  continueUnder(lease: Lease): void {
    this.leased = lease;
  }

  async plan(choice: PlanChoice): Promise<PlanAnswer> {
    return this.abandonIfGone(() => this.controlPlane.plan(this.lease, choice, this.signal));
  }

  /** Returns the status of the execution after the update. */
  async patch(update: ExecutionUpdate): Promise<string> {
    return this.abandonIfGone(() => this.controlPlane.patchExecution(this.lease, update, this.signal));
  }

  /** An event that the control plane rejects does not fail the run. */
  async publish(event: ExecutionEvent): Promise<void> {
    try {
      await this.abandonIfGone(() => this.toolCalls.publish(this.lease, event, this.signal));
    } catch (error) {
      if (!isFailure(error, 'refused') && !isFailure(error, 'broken')) throw error;
      const { event_type } = event;
      this.logger.warn({ event_type, reason: error.message, request_id: error.requestId }, 'event dropped');
    }
  }

  async reportSteps(steps: readonly StepReport[]): Promise<void> {
    await this.abandonIfGone(() => this.controlPlane.reportSteps(this.lease, steps, this.signal));
  }

  async readConversation(): Promise<History> {
    const { id } = this.lease.session;
    return this.abandonIfGone(() => this.controlPlane.readConversation(this.lease, id, this.signal));
  }

  /** After the cancellation of the execution, stores the messages without its lease. */
  async appendMessages(messages: readonly JsonObject[]): Promise<void> {
    const { id: session_id } = this.lease.session;
    const ended = await this.endedLease();
    if (ended !== null) return this.controlPlane.appendMessages(ended, { session_id, messages }, lateSignal());
    await this.abandonIfGone(() => this.controlPlane.appendMessages(this.lease, { session_id, messages }, this.signal));
  }

  /**
   * Stores what a cancelled run has used. Its lease ended with the cancellation, after which no other worker can run the
   * execution, so the write needs no token.
   */
  async reportUsage(usage: JsonObject): Promise<void> {
    const ended = await this.endedLease();
    if (ended !== null) await this.controlPlane.patchExecution(ended, { usage }, lateSignal());
  }

  async waitForInput(usage: JsonObject): Promise<void> {
    await this.abandonIfGone(() => this.controlPlane.waitForInput(this.lease, usage, this.signal));
  }

  async uploadFile(file: OutputFile): Promise<void> {
    await this.abandonIfGone(() => this.controlPlane.uploadFile(this.lease, file, this.signal));
  }

  knowledge(): KnowledgeReader {
    const { controlPlane } = this;
    return {
      search: (query, signal) => this.abandonIfGone(() => controlPlane.searchKnowledge(this.lease, query, signal)),
      read: (id, signal) => this.abandonIfGone(() => controlPlane.readKnowledge(this.lease, id, signal)),
    };
  }

  async recordTask(record: TaskRecord): Promise<void> {
    await this.attempt('task record', () => this.controlPlane.createTask(this.lease, record, this.signal));
  }

  async reportJob(jobId: string, report: JobStatusReport): Promise<void> {
    await this.attempt('job status', () => this.controlPlane.reportJobStatus(this.lease, jobId, report, this.signal));
  }

  /** Performs a write that the result of the run does not depend on. A failure is only logged. */
  async attempt(what: string, write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      if (this.control.abandonReason !== null) throw error;
      this.logger.warn({ reason: messageOf(error) }, `${what} not written`);
    }
  }

  /** Abandons the run if the lease is no longer valid. */
  async abandonIfGone<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (isFailure(error, 'gone')) this.control.abandon('lease lost');
      throw error;
    }
  }

  /** The reference of a cancelled execution; null if the run was not cancelled. */
  private async endedLease(): Promise<LeaseRef | null> {
    if (this.control.abandonReason === null || !(await this.control.wasCancelled())) return null;
    return { ...this.lease, token: null };
  }

  private get signal(): AbortSignal {
    return this.control.writeSignal;
  }
}
