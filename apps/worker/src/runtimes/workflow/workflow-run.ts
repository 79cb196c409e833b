import { setMaxListeners } from 'node:events';
import { pause } from '@app/api-client';
import { isJsonObject, type Clock, type JsonObject } from '@app/kernel';
import { withinSignal } from '../../deadline.js';
import { reportableText } from '../../control-plane/reportable.js';
import { RuntimeFailure, type RuntimeTask } from '../runtime.js';
import { stepSpan } from '../../tracing/agent-span.js';
import { StepJournal } from './step-journal.js';
import type { PlannedStep } from './step-plan.js';
import { runStep } from './step-run.js';
import type { StepStates } from './step-states.js';

/** Maximum number of steps that one run executes at the same time. Each may start MCP servers. */
const MAX_PARALLEL = 32;

/**
 * Maximum sizes that the control plane accepts, in bytes of JSON text: of one output, of all outputs together, of an
 * error.
 */
const MAX_OUTPUT_BYTES = 65_536;
const MAX_OUTPUTS_BYTES = 4 * 1_048_576;
const MAX_ERROR_BYTES = 1_900;

/** How long a step may take to stop after its time limit. */
const STOP_GRACE_MS = 1_000;

export interface WorkflowSettings {
  readonly continueOnError: boolean;
  readonly clock: Clock;
}

/** Runs the steps of one workflow that have not ended. */
export class WorkflowRun {
  private readonly journal: StepJournal;
  /** Aborted when the run is aborted or a state cannot be stored. */
  private readonly stopping = new AbortController();
  private readonly dependants = new Map<string, PlannedStep[]>();
  /** The number of dependencies that have not ended, by step. */
  private readonly waiting = new Map<string, number>();
  private readonly ready: PlannedStep[] = [];
  private readonly active = new Set<Promise<void>>();
  /** When the last attempt of each step started. */
  private readonly startedAt = new Map<string, string>();
  private failure: string | null = null;
  /** The size of all stored outputs. */
  private outputBytes = 0;

  constructor(
    private readonly task: RuntimeTask,
    private readonly steps: readonly PlannedStep[],
    private readonly states: StepStates,
    private readonly settings: WorkflowSettings,
  ) {
    // Each running step adds a listener; Node prints a leak warning above ten.
    setMaxListeners(0, this.stopping.signal);
    this.journal = new StepJournal((reports) => task.reportSteps(reports));
  }

  /** Returns why the run failed; null if it completed. Rejects if it was aborted or a state could not be stored. */
  async execute(): Promise<string | null> {
    const abort = (): void => this.stopping.abort(this.task.signal.reason);
    this.task.signal.addEventListener('abort', abort, { once: true });
    if (this.task.signal.aborted) abort();
    this.findReady();
    this.startReady();
    while (this.active.size > 0) await Promise.race(this.active);
    this.task.signal.removeEventListener('abort', abort);
    this.stopping.signal.throwIfAborted();
    return this.failure;
  }

  private findReady(): void {
    for (const step of this.steps) {
      if (this.states.hasEnded(step.name)) {
        this.outputBytes += bytesOf(this.states.outputOf(step.name));
        continue;
      }
      const open = step.dependencies.filter((name) => !this.states.hasEnded(name));
      for (const name of open) this.dependants.set(name, [...(this.dependants.get(name) ?? []), step]);
      this.waiting.set(step.name, open.length);
      if (open.length === 0) this.ready.push(step);
    }
  }

  private startReady(): void {
    while (this.active.size < MAX_PARALLEL && this.failure === null && !this.stopping.signal.aborted) {
      const step = this.ready.shift();
      if (step === undefined) return;
      const running: Promise<void> = this.runToEnd(step)
        .catch((error: unknown) => this.stopping.abort(error))
        .finally(() => {
          this.active.delete(running);
          this.startReady();
        });
      this.active.add(running);
    }
  }

  /** Rejects only if the run was aborted or a state could not be stored. */
  private async runToEnd(step: PlannedStep): Promise<void> {
    try {
      const skipped = this.states.skipReason(step);
      if (skipped !== null) return await this.end(step, { status: 'skipped', error: skipped });
      await this.end(step, { status: 'completed', output: await this.runAttempts(step) });
    } catch (error) {
      if (!(error instanceof RuntimeFailure) || this.stopping.signal.aborted) throw error;
      if (!this.settings.continueOnError) this.failure ??= `The step ${step.name} failed: ${error.message}`;
      await this.end(step, { status: 'failed', error: error.message });
    }
  }

  /** Returns the output. Throws the failure of the last attempt. */
  private async runAttempts(step: PlannedStep): Promise<string> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.runAttempt(step);
      } catch (error) {
        this.stopping.signal.throwIfAborted();
        if (!(error instanceof RuntimeFailure)) throw error;
        this.states.addUsage(step.name, error.usage);
        if (attempt >= step.maxAttempts || this.failure !== null) throw error;
        this.publish('step_failed', step, { error: error.message, retry_in_ms: step.delayMs });
        await pause(step.delayMs, this.stopping.signal);
      }
    }
  }

  /** The start of the attempt is stored before the step has an effect. */
  private async runAttempt(step: PlannedStep): Promise<string> {
    await this.task.waitWhilePaused();
    this.stopping.signal.throwIfAborted();
    const attempt = this.states.startAttempt(step.name);
    const startedAt = this.now();
    this.startedAt.set(step.name, startedAt);
    await this.journal.write({ name: step.name, status: 'running', attempt, started_at: startedAt });
    this.publish('step_started', step, { attempt });
    const timeout = step.timeoutMs === null ? null : AbortSignal.timeout(step.timeoutMs);
    const signal = timeout === null ? this.stopping.signal : AbortSignal.any([this.stopping.signal, timeout]);
    const publish: RuntimeTask['publish'] = (type, data) => this.task.publish(type, { ...data, step: step.name });
    const values = { roots: { params: paramsOf(this.task) }, outputOf: (name: string) => this.states.outputOf(name) };
    try {
      const running = this.task.spans.in(stepSpan(step.name, attempt), () =>
        runStep({ ...this.task, signal, publish }, step, values),
      );
      const { output, usage } = await withinSignal(running, signal, STOP_GRACE_MS);
      this.states.addUsage(step.name, usage);
      return this.storable(output);
    } catch (error) {
      if (timeout?.aborted !== true || this.stopping.signal.aborted) throw error;
      const usage = error instanceof RuntimeFailure ? error.usage : null;
      throw new RuntimeFailure(`It did not finish within ${(step.timeoutMs ?? 0) / 1000} s`, usage);
    }
  }

  /**
   * Returns the output as it is stored, because later steps read the stored output, also in a later attempt of the
   * execution.
   */
  private storable(output: string): string {
    const text = reportableText(this.task.redactor.redactText(output), MAX_OUTPUT_BYTES);
    const total = this.outputBytes + bytesOf(text);
    if (total > MAX_OUTPUTS_BYTES) {
      throw new RuntimeFailure(`The outputs of all steps exceed ${MAX_OUTPUTS_BYTES / 1_048_576} MiB together`);
    }
    this.outputBytes = total;
    return text;
  }

  /**
   * Ends the step and starts the steps that no longer wait for another one. Their first reports share a request with
   * this one.
   */
  private async end(step: PlannedStep, { status, output = null, error }: Ending): Promise<void> {
    const { name } = step;
    this.states.end(name, status, output);
    const attempt = this.states.attemptOf(name);
    const usage = this.states.addUsage(name, null);
    const message = error === undefined ? null : reportableText(this.task.redactor.redactText(error), MAX_ERROR_BYTES);
    this.publish('step_completed', step, { attempt, status, output, error: message });
    const startedAt = this.startedAt.get(name);
    const stored = this.journal.write({
      name,
      status,
      attempt,
      completed_at: this.now(),
      ...(output === null ? {} : { output }),
      ...(message === null ? {} : { error_message: message }),
      ...(startedAt === undefined ? {} : { started_at: startedAt }),
      ...(usage === null ? {} : { usage: { ...usage } }),
    });
    for (const dependant of this.dependants.get(name) ?? []) {
      const left = (this.waiting.get(dependant.name) ?? 0) - 1;
      this.waiting.set(dependant.name, left);
      if (left === 0) this.ready.push(dependant);
    }
    this.startReady();
    await stored;
  }

  private publish(type: string, { name, type: kind }: PlannedStep, data: JsonObject): void {
    this.task.publish(type, { step: name, step_type: kind, ...data });
  }

  private now(): string {
    return this.settings.clock.now().toISOString();
  }
}

interface Ending {
  readonly status: 'completed' | 'failed' | 'skipped';
  readonly output?: string | null;
  readonly error?: string;
}

function paramsOf({ lease }: RuntimeTask): JsonObject {
  return isJsonObject(lease.workflow['params']) ? lease.workflow['params'] : {};
}

function bytesOf(text: string | null): number {
  return text === null ? 0 : Buffer.byteLength(text);
}
