import type { Clock, JsonObject } from '@app/kernel';
import type { Logger } from '@app/observability';
import { isFailure } from './control-plane.errors.js';
import type { ControlPlanePort, ExecutionUpdate } from './control-plane.port.js';
import { withinSignal } from './deadline.js';
import { EventPublisher } from './event-publisher.js';
import type { Lease } from './lease.js';
import { RedactedEvents } from './redacted-events.js';
import { Abandoned, RunControl } from './run-control.js';
import type { RuntimeRegistry } from './runtimes/registry.js';
import { RuntimeFailure, type ModelGateway, type RuntimeResult, type RuntimeUsage } from './runtimes/runtime.js';
import { Redactor, secretValues } from './secrets.js';

/** Pieces of text closer together than this travel as one event, in milliseconds. */
const PIECE_WINDOW_MS = 20;

/** How long a runtime may take to end after it was told to, before nobody waits for it any more, in milliseconds. */
const LETTING_GO_MS = 1_000;

/** What the runs of one worker have in common. */
export interface RunSurroundings {
  readonly controlPlane: ControlPlanePort;
  readonly runtimes: RuntimeRegistry;
  readonly gateway: ModelGateway;
  /** Values no event, error or log line may show. */
  readonly secrets: readonly string[];
  readonly workerId: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

export type RunOutcome = 'completed' | 'failed' | 'abandoned';

interface Finish {
  readonly status: 'completed' | 'failed';
  readonly response?: string;
  readonly error?: string;
  readonly usage: RuntimeUsage | null;
}

/** One lease from its first write to its last. After an abandonment nothing more is written. */
export class ExecutionRun {
  readonly control: RunControl;
  private readonly redactor: Redactor;
  private readonly events: EventPublisher;
  private readonly redacted: RedactedEvents;
  private readonly logger: Logger;
  private readonly startedAt: number;

  constructor(
    readonly lease: Lease,
    private readonly around: RunSurroundings,
  ) {
    this.control = new RunControl(lease.timeoutMs);
    this.startedAt = around.clock.millis();
    const environment = secretValues(lease.environment, lease.secretNames);
    this.redactor = new Redactor([...around.secrets, lease.token, ...environment]);
    this.logger = around.logger.child({
      execution_id: lease.executionId,
      trace_id: lease.traceId,
      attempt: lease.attempt,
    });
    this.events = new EventPublisher({
      windowMs: PIECE_WINDOW_MS,
      clock: around.clock,
      send: (event) => this.publishEvent(event.event_type, event.data, event.timestamp),
    });
    this.redacted = new RedactedEvents(this.redactor, (type, data) => this.events.publish(type, data));
    this.control.writeSignal.addEventListener('abort', () =>
      this.events.close(this.control.writeSignal.reason as Error),
    );
  }

  async execute(): Promise<RunOutcome> {
    this.logger.info(
      { job_id: this.lease.jobId, runtime: this.lease.agent.runtime, model: this.lease.model },
      'run started',
    );
    try {
      await this.patch({ status: 'running' });
      this.announce();
      const finish = await this.work();
      await this.finish(finish);
      this.logger.info(
        { duration_ms: this.elapsed(), error: finish.error, usage: finish.usage },
        `run ${finish.status}`,
      );
      return finish.status;
    } catch (error) {
      const abandoned = this.control.abandoned ?? (error instanceof Abandoned ? error.reason : null);
      if (abandoned === null) throw error;
      this.logger.warn({ reason: abandoned, duration_ms: this.elapsed() }, 'run abandoned');
      return 'abandoned';
    } finally {
      this.control.end();
    }
  }

  private announce(): void {
    const { lease, around } = this;
    this.publish('run_started', {
      agent_id: lease.agent.id,
      agent_name: lease.agent.name,
      runtime: lease.agent.runtime,
      model: lease.model,
      attempt: lease.attempt,
      worker_id: around.workerId,
    });
  }

  private async work(): Promise<Finish> {
    try {
      const running = this.around.runtimes.for(this.lease).run({
        lease: this.lease,
        gateway: this.around.gateway,
        redactor: this.redactor,
        logger: this.logger,
        signal: this.control.workSignal,
        publish: (type, data) => this.publish(type, data),
        whilePaused: () => this.control.whilePaused(),
      });
      return this.completed(await withinSignal(running, this.control.workSignal, LETTING_GO_MS));
    } catch (error) {
      if (this.control.abandoned !== null) throw error;
      return this.failed(error);
    }
  }

  private completed(result: RuntimeResult): Finish {
    const response = this.redactor.text(result.response);
    this.publish('message', { role: 'assistant', content: response, message_id: result.messageId });
    return { status: 'completed', response, usage: result.usage };
  }

  private failed(error: unknown): Finish {
    const timeout: unknown = this.control.workSignal.reason;
    const cause: unknown = this.control.workSignal.aborted ? timeout : error;
    if (!(cause instanceof RuntimeFailure) && cause !== timeout)
      this.logger.error({ reason: this.redactor.text(describeDefect(cause)) }, 'the runtime broke');
    const message = this.redactor.text(cause instanceof Error ? cause.message : String(cause));
    this.publish('error', { message, error: message });
    return { status: 'failed', error: message, usage: error instanceof RuntimeFailure ? error.usage : null };
  }

  /**
   * All events are out before the final state is, because a reader's stream ends with it. The job's report comes after it,
   * because it moves the execution too, and knows nothing of response and usage.
   */
  private async finish(finish: Finish): Promise<void> {
    await this.guarded(() => this.events.flush());
    const usage: JsonObject = { ...finish.usage, duration_ms: this.elapsed() };
    await this.patch({
      status: finish.status,
      usage,
      ...(finish.response === undefined ? {} : { response: finish.response }),
      ...(finish.error === undefined ? {} : { error_message: finish.error }),
    });
    await Promise.all([this.recordTask(finish), this.reportJob(finish)]);
  }

  private async recordTask(finish: Finish): Promise<void> {
    const { lease, around } = this;
    const now = around.clock.now();
    await this.optional('task record', () =>
      around.controlPlane.createTask(
        lease,
        {
          task_id: `${lease.executionId}:${lease.attempt}`.slice(0, 255),
          task_description: `Run of ${lease.agent.name ?? lease.kind}, attempt ${lease.attempt}`,
          task_type: 'agent_run',
          status: finish.status,
          started_at: new Date(this.startedAt).toISOString(),
          completed_at: now.toISOString(),
          duration_ms: now.getTime() - this.startedAt,
          ...(finish.error === undefined ? {} : { error_message: finish.error }),
          metadata: { worker_id: around.workerId, attempt: lease.attempt, ...finish.usage },
        },
        this.control.writeSignal,
      ),
    );
  }

  private async reportJob(finish: Finish): Promise<void> {
    const { jobId } = this.lease;
    if (jobId === null) return;
    const report = {
      status: finish.status,
      duration_ms: this.elapsed(),
      ...(finish.error === undefined ? {} : { error_message: finish.error }),
    };
    await this.optional('job status', () =>
      this.around.controlPlane.reportJobStatus(this.lease, jobId, report, this.control.writeSignal),
    );
  }

  private publish(type: string, data: JsonObject): void {
    this.redacted.publish(type, data);
  }

  private async publishEvent(type: string, data: JsonObject, timestamp: string): Promise<void> {
    const event = { event_type: type, data, timestamp };
    try {
      await this.guarded(() => this.around.controlPlane.publishEvent(this.lease, event, this.control.writeSignal));
    } catch (error) {
      // One event the control plane does not take is no reason to lose the run.
      if (!isFailure(error, 'refused') && !isFailure(error, 'broken')) throw error;
      this.logger.warn({ event_type: type, reason: error.message, request_id: error.requestId }, 'event dropped');
    }
  }

  private async patch(update: ExecutionUpdate): Promise<void> {
    await this.guarded(() => this.around.controlPlane.patchExecution(this.lease, update, this.control.writeSignal));
  }

  /** A write beside the run's own, whose end is told already: its failure is noted and changes nothing. */
  private async optional(what: string, write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      if (this.control.abandoned !== null) throw error;
      this.logger.warn({ reason: error instanceof Error ? error.message : String(error) }, `${what} was not taken`);
    }
  }

  private async guarded(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      if (isFailure(error, 'gone')) this.control.abandon('lease lost');
      throw error;
    }
  }

  private elapsed(): number {
    return this.around.clock.millis() - this.startedAt;
  }
}

/** With its stack, which may quote the message and so any secret in it: redact it before it is shown. */
function describeDefect(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
