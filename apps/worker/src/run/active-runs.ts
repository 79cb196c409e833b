import type { Logger } from '@app/observability';
import type { AbandonReason } from './run-control.js';
import type { ExecutionRun } from './execution-run.js';

/** The active runs of the worker, at most `capacity` of them. */
export class ActiveRuns {
  private readonly runs = new Map<string, ExecutionRun>();
  private readonly endListeners = new Set<() => void>();

  constructor(
    private readonly capacity: number,
    private readonly logger: Logger,
  ) {}

  get freeSlots(): number {
    return this.capacity - this.runs.size;
  }

  get executionIds(): string[] {
    return [...this.runs.keys()];
  }

  /** Duration of the shortest lease of the active runs, in milliseconds; `null` without active runs. */
  get shortestLeaseMs(): number | null {
    const durations = [...this.runs.values()].map((run) => run.lease.durationMs);
    return durations.length === 0 ? null : Math.min(...durations);
  }

  find(executionId: string): ExecutionRun | undefined {
    return this.runs.get(executionId);
  }

  /** Starts a run in the background. Abandons an active run of the same execution, because its lease is no longer valid. */
  launch(run: ExecutionRun): void {
    const { executionId } = run.lease;
    this.runs.get(executionId)?.control.abandon('superseded');
    this.runs.set(executionId, run);
    void run
      .execute()
      .catch((error: unknown) =>
        this.logger.error({ err: error, execution_id: executionId }, 'run failed without reporting its final state'),
      )
      .finally(() => {
        if (this.runs.get(executionId) === run) this.runs.delete(executionId);
        for (const listener of this.endListeners) listener();
      });
  }

  abandonAll(reason: AbandonReason): void {
    for (const run of this.runs.values()) run.control.abandon(reason);
  }

  /** Resolves when a slot is free or the signal is aborted. */
  async whenFree(signal: AbortSignal): Promise<void> {
    while (this.freeSlots <= 0 && !signal.aborted) await this.waitForNextEnd(signal);
  }

  /** Resolves when no run is active or the signal is aborted. */
  async whenIdle(signal: AbortSignal): Promise<void> {
    while (this.runs.size > 0 && !signal.aborted) await this.waitForNextEnd(signal);
  }

  private async waitForNextEnd(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = () => {
        this.endListeners.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.endListeners.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }
}
