import type { JsonObject } from '@app/kernel';
import type { Logger } from '@app/observability';
import { ControlPlaneError, isFailure } from '../control-plane/control-plane.errors.js';
import { NO_HISTORY } from '../conversation/conversation.js';
import { openCallsIn } from '../conversation/model-messages.js';
import { RunConversation } from '../conversation/run-conversation.js';
import { withinSignal } from '../deadline.js';
import { messageOf, stackOf } from '../errors/error-text.js';
import { EventPublisher } from '../events/event-publisher.js';
import { LeaseCalls } from './lease-calls.js';
import { secretsOf, type Lease } from '../control-plane/lease.js';
import { planRun } from '../planning/plan-run.js';
import { RedactedEvents } from '../redaction/redacted-events.js';
import { MAX_ERROR_BYTES, MAX_RESPONSE_BYTES, reportableData, reportableText } from '../control-plane/reportable.js';
import type { RunContext } from './run-context.js';
import { RunAbandoned, RunControl, RunTimeout } from './run-control.js';
import { RuntimeFailure, type RuntimeResult, type RuntimeUsage } from '../runtimes/runtime.js';
import { sumOf, usageSoFar } from '../runtimes/usage-sum.js';
import { Redactor } from '../redaction/secrets.js';
import { taskRecordOf } from './task-record.js';
import { leftOutData, uploadFiles } from '../workspace/file-upload.js';
import type { SkippedFile } from '../workspace/output-files.js';
import { runSpan, usageAttributes } from '../tracing/agent-span.js';
import { RunSpans, type RunSpan } from '../tracing/run-spans.js';
import { Workspace } from '../workspace/workspace.js';

/** Text chunks that arrive within this time are merged into one event. */
const CHUNK_WINDOW_MS = 20;

/** How long the run waits for the runtime to stop after its signal is aborted. */
const RUNTIME_STOP_GRACE_MS = 1_000;

const UNEXPECTED = 'The worker failed unexpectedly; its log says why';

export type RunOutcome = 'completed' | 'failed' | 'waiting' | 'abandoned';

interface FinalState {
  readonly status: 'completed' | 'failed';
  readonly response?: string;
  readonly error?: string;
  readonly reason?: 'failed' | 'timeout';
  readonly usage: RuntimeUsage | null;
}

/** A question to the user. After the answer the run continues, possibly on another worker. */
type Question = Pick<RuntimeResult, 'messageId' | 'usage'> & { readonly question: string };

interface ReportedState extends FinalState {
  /** Whether a further attempt of the execution follows. */
  readonly isRepeated: boolean;
}

/**
 * Executes one lease and reports its progress and final state. Once abandoned, it writes nothing, except what a cancelled
 * run used and said.
 */
export class ExecutionRun {
  readonly control: RunControl;
  private readonly redactor: Redactor;
  private readonly events: EventPublisher;
  private readonly redactedEvents: RedactedEvents;
  private readonly calls: LeaseCalls;
  private readonly logger: Logger;
  private readonly spans: RunSpans;
  private readonly startedAt: number;
  private conversation: RunConversation | null = null;
  private readonly workspace: Workspace;
  /** The usage of the planning; null if the execution names its agent, team or workflow. */
  private planUsage: RuntimeUsage | null = null;

  constructor(
    lease: Lease,
    private readonly context: RunContext,
  ) {
    this.control = new RunControl(lease.timeoutMs);
    this.startedAt = context.clock.millis();
    this.workspace = new Workspace(context.workspaceFolder);
    this.redactor = new Redactor([...context.secrets, lease.token, ...secretsOf(lease)]);
    this.logger = context.logger.child({
      execution_id: lease.executionId,
      trace_id: lease.trace.traceId,
      ...(lease.trace.spanId === null ? {} : { span_id: lease.trace.spanId }),
      attempt: lease.attempt,
    });
    this.spans = new RunSpans(context.tracing.tracer, lease, this.redactor, context.tracing.hasContent);
    this.calls = new LeaseCalls(lease, context.controlPlane, this.control, this.logger);
    this.events = new EventPublisher({
      windowMs: CHUNK_WINDOW_MS,
      clock: context.clock,
      send: ({ event_type, data, timestamp }) =>
        this.calls.publish({ event_type, data: reportableData(data), timestamp }),
    });
    this.redactedEvents = new RedactedEvents(this.redactor, (type, data) => this.events.publish(type, data));
    this.control.writeSignal.addEventListener('abort', () =>
      this.events.close(this.control.writeSignal.reason as Error),
    );
  }

  /** The lease that the poll returned; after the planning, the lease for the chosen agent or team. */
  get lease(): Lease {
    return this.calls.lease;
  }

  /** Resolves when the run is over. Rejects if its final state could not be reported. */
  async execute(): Promise<RunOutcome> {
    this.logger.info(
      { job_id: this.lease.jobId, runtime: this.lease.agent.runtime, model: this.lease.model },
      'run started',
    );
    try {
      const ended = await this.spans.run(runSpan(this.lease), (span) => this.work(span));
      await this.uploadFiles();
      const finalState = 'question' in ended ? await this.ask(ended) : await this.report(ended);
      if (finalState === null) return 'waiting';
      this.logger.info(
        { duration_ms: this.elapsed(), error: finalState.error, usage: finalState.usage },
        `run ${finalState.status}`,
      );
      return finalState.status;
    } catch (error) {
      const reason = this.control.abandonReason ?? (error instanceof RunAbandoned ? error.reason : null);
      if (reason === null) throw error;
      if (await this.control.wasCancelled()) await this.reportCancelled(error);
      this.logger.warn({ reason, duration_ms: this.elapsed() }, 'run abandoned');
      return 'abandoned';
    } finally {
      this.control.dispose();
      await this.workspace
        .delete()
        .catch((error: unknown) => this.logger.warn({ err: error }, 'workspace not deleted'));
    }
  }

  /** Stores the usage of a cancelled run and the message that the cancellation interrupted. */
  private async reportCancelled(cause: unknown): Promise<void> {
    const usage = this.totalOf(cause instanceof RuntimeFailure ? cause.usage : null);
    const failed = (reason: unknown): void =>
      this.logger.warn({ reason: messageOf(reason) }, 'the end of a cancelled run was not stored');
    await this.conversation?.flush().catch(failed);
    if (usage !== null) await this.calls.reportUsage({ ...usage, duration_ms: this.elapsed() }).catch(failed);
  }

  private async work(span: RunSpan): Promise<FinalState | Question> {
    await this.calls.patch({ status: 'running' });
    const ended = (await this.plan()) ?? (await this.runAgent());
    span.set(usageAttributes(ended.usage, this.lease.kind));
    if ('error' in ended && ended.error !== undefined) span.fail(ended.error, ended.reason ?? 'failed');
    return ended;
  }

  private publishStart(): void {
    const { lease, context } = this;
    this.publish('run_started', {
      agent_id: lease.agent.id,
      agent_name: lease.agent.name,
      runtime: lease.agent.runtime,
      model: lease.model,
      attempt: lease.attempt,
      worker_id: context.workerId,
    });
  }

  /**
   * Lets the model choose an agent or team if the execution names none. Returns the failure if nothing may run, else
   * null.
   */
  private async plan(): Promise<FinalState | null> {
    const { lease, context, control, redactor } = this;
    if (lease.candidates === null) return null;
    try {
      const planned = planRun({
        lease,
        candidates: lease.candidates,
        gateway: context.gateway,
        clock: context.clock,
        redactor,
        spans: this.spans,
        signal: control.workSignal,
        waitWhilePaused: () => control.waitWhilePaused(),
        report: (choice) => this.calls.plan(choice),
      });
      const { answer, usage } = await withinSignal(planned, control.workSignal, RUNTIME_STOP_GRACE_MS);
      this.planUsage = usage;
      // The control plane has already failed the execution and ended its events.
      if ('denial' in answer) return { status: 'failed', error: this.reportableError(answer.denial), usage: null };
      redactor.addSecrets(secretsOf(answer.lease));
      control.limit(answer.lease.timeoutMs);
      this.calls.continueUnder(answer.lease);
      return null;
    } catch (error) {
      if (control.abandonReason !== null) throw error;
      return this.failed(error);
    }
  }

  private async runAgent(): Promise<FinalState | Question> {
    this.publishStart();
    try {
      this.conversation = await this.openConversation();
      const result = this.context.runtimes.for(this.lease).run({
        lease: this.lease,
        gateway: this.context.gateway,
        redactor: this.redactor,
        workspace: this.workspace,
        skills: this.context.skills,
        knowledge: this.calls.knowledge(),
        logger: this.logger,
        spans: this.spans,
        signal: this.control.workSignal,
        publish: (type, data) => this.publish(type, data),
        waitWhilePaused: () => this.control.waitWhilePaused(),
        reportSteps: (steps) => this.calls.reportSteps(steps),
        conversation: this.conversation,
        mayAsk: this.lease.session.isStored,
        runtimes: this.context.runtimes,
      });
      const { question, ...answer } = await withinSignal(result, this.control.workSignal, RUNTIME_STOP_GRACE_MS);
      return question === undefined ? this.completed(answer) : { ...answer, question };
    } catch (error) {
      if (this.control.abandonReason !== null) throw error;
      return this.failed(error);
    }
  }

  /** Sends no request for a run without earlier messages. */
  private async openConversation(): Promise<RunConversation> {
    const { lease, context, calls, redactor } = this;
    const { id, isStored, isSavedAsItGoes } = lease.session;
    const isContinued = lease.hasMessages || id !== null;
    const history = isContinued ? await calls.readConversation() : NO_HISTORY;
    const append = (messages: readonly JsonObject[]): Promise<void> => calls.appendMessages(messages);
    const store = isStored ? append : (): Promise<void> => Promise.resolve();
    return new RunConversation(history, { redactor, clock: context.clock, isSavedAsItGoes, store });
  }

  /**
   * Publishes the question and ends the lease, so that any worker can continue. Returns the failure if the conversation
   * cannot be stored.
   */
  private async ask({ question, messageId, usage }: Question): Promise<FinalState | null> {
    const content = reportableText(this.redactor.redactText(question), MAX_RESPONSE_BYTES);
    this.publish('message', { role: 'assistant', content, message_id: messageId, input_required: true });
    await this.calls.abandonIfGone(() => this.events.flush());
    try {
      await this.conversation?.flush();
    } catch (error) {
      if (this.control.abandonReason !== null) throw error;
      return this.report(
        this.failed(new RuntimeFailure(`The conversation was not stored: ${messageOf(error)}`, usage)),
      );
    }
    await this.control.waitWhilePaused();
    await this.calls.waitForInput({ ...this.totalOf(usage) });
    this.logger.info({ duration_ms: this.elapsed() }, 'run waits for input');
    return null;
  }

  /** Adds the usage of the planning, and of the part of the run before it waited for input. */
  private totalOf(usage: RuntimeUsage | null): RuntimeUsage | null {
    const isAnswered = openCallsIn(this.conversation?.history.own ?? []).length > 0;
    return sumOf([this.planUsage, isAnswered ? usageSoFar(this.lease) : null, usage]);
  }

  /** A conversation that cannot be stored, for example because it is too large, does not fail the run. */
  private async storeConversation(): Promise<void> {
    await this.calls.attempt('conversation', async () => this.conversation?.flush());
  }

  private completed(result: RuntimeResult): FinalState {
    const response = reportableText(this.redactor.redactText(result.response), MAX_RESPONSE_BYTES);
    this.publish('message', { role: 'assistant', content: response, message_id: result.messageId });
    return { status: 'completed', response, usage: result.usage };
  }

  private failed(error: unknown): FinalState {
    const { workSignal } = this.control;
    const timedOut = workSignal.aborted;
    const cause: unknown = timedOut ? workSignal.reason : error;
    const isExpected = timedOut || cause instanceof RuntimeFailure || cause instanceof ControlPlaneError;
    if (!isExpected) {
      this.logger.error({ reason: this.redactor.redactText(stackOf(cause)) }, 'unexpected error in the runtime');
    }
    // The message of an unexpected error may repeat what a server sent.
    const message = this.reportableError(isExpected ? cause : UNEXPECTED);
    this.publish('error', { message, error: message });
    const reason = cause instanceof RunTimeout ? 'timeout' : 'failed';
    return { status: 'failed', error: message, reason, usage: error instanceof RuntimeFailure ? error.usage : null };
  }

  /**
   * Reports the final state after all events, because it ends the event stream. The job status is reported later,
   * because it also changes the state of the execution but contains neither response nor usage. The task record of a
   * failure is written first, because the report ends the lease if a further attempt follows. Returns the state that
   * was reported.
   */
  private async report(finalState: FinalState): Promise<FinalState> {
    await Promise.all([this.calls.abandonIfGone(() => this.events.flush()), this.storeConversation()]);
    if (finalState.status === 'failed') await this.recordTask(finalState);
    const { isRepeated, ...reported } = await this.patchFinal(finalState);
    if (isRepeated) return reported;
    const isRecorded = reported.status === finalState.status && reported.status === 'failed';
    await Promise.all([isRecorded ? undefined : this.recordTask(reported), this.reportJob(reported)]);
    return reported;
  }

  /** Reports a short failure if the control plane rejects the final state: otherwise the execution would never end. */
  private async patchFinal(finalState: FinalState): Promise<ReportedState> {
    const usage: JsonObject = { ...this.totalOf(finalState.usage), duration_ms: this.elapsed() };
    try {
      const status = await this.calls.patch({
        status: finalState.status,
        usage,
        ...(finalState.response === undefined ? {} : { response: finalState.response }),
        ...(finalState.error === undefined ? {} : { error_message: finalState.error }),
        ...(finalState.reason === undefined ? {} : { failure_reason: finalState.reason }),
      });
      return { ...finalState, isRepeated: status === 'pending' };
    } catch (error) {
      if (!isFailure(error, 'refused') && !isFailure(error, 'broken')) throw error;
      const reason = this.reportableError(error);
      this.logger.error({ reason, request_id: error.requestId, status: finalState.status }, 'final state rejected');
      const failure = { status: 'failed', error: `The result could not be stored: ${reason}`, usage: null } as const;
      const status = await this.calls.patch({ status: failure.status, error_message: failure.error });
      return { ...failure, isRepeated: status === 'pending' };
    }
  }

  private reportableError(cause: unknown): string {
    return reportableText(this.redactor.redactText(messageOf(cause)), MAX_ERROR_BYTES);
  }

  private async recordTask(finalState: FinalState): Promise<void> {
    const { lease, context } = this;
    const { workerId } = context;
    const record = taskRecordOf(lease, { ...finalState, workerId, from: this.startedAt, to: context.clock.millis() });
    await this.calls.recordTask(record);
  }

  private async reportJob({ status, error }: FinalState): Promise<void> {
    const { jobId } = this.lease;
    if (jobId === null) return;
    const report = {
      status,
      duration_ms: this.elapsed(),
      ...(error === undefined ? {} : { error_message: error }),
    };
    await this.calls.reportJob(jobId, report);
  }

  private publish(type: string, data: JsonObject): void {
    this.redactedEvents.publish(type, data);
  }

  /**
   * Uploads the files that the run made, before its lease ends. An event names the files that were not stored. Files
   * that cannot be stored do not fail the run.
   */
  private async uploadFiles(): Promise<void> {
    if (!this.workspace.isUsed) return;
    const skipped: SkippedFile[] = [];
    await this.calls.attempt('files', async () => {
      await uploadFiles(await this.workspace.folder(), (file) => this.calls.uploadFile(file), skipped);
    });
    if (skipped.length > 0) this.publish('metadata', leftOutData(skipped));
  }

  private elapsed(): number {
    return this.context.clock.millis() - this.startedAt;
  }
}
