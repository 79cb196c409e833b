import type { Logger } from '@app/observability';
import type { AbandonReason } from './run-control.js';
import type { ExecutionRun } from './execution-run.js';

/** The runs under way, at most `capacity` of them, and who waits for one to end. */
export class ActiveRuns {
  private readonly runs = new Map<string, ExecutionRun>();
  private readonly ended = new Set<() => void>();

  constructor(
    private readonly capacity: number,
    private readonly logger: Logger,
  ) {}

  get free(): number {
    return this.capacity - this.runs.size;
  }

  get executionIds(): string[] {
    return [...this.runs.keys()];
  }

  /** The shortest lease under way, in milliseconds; `null` when nothing runs. */
  get shortestLeaseMs(): number | null {
    const durations = [...this.runs.values()].map((run) => run.lease.durationMs);
    return durations.length === 0 ? null : Math.min(...durations);
  }

  find(executionId: string): ExecutionRun | undefined {
    return this.runs.get(executionId);
  }

  /** Starts a run in the background. A run of the same execution is over then: the platform has given out a new lease. */
  launch(run: ExecutionRun): void {
    const { executionId } = run.lease;
    this.runs.get(executionId)?.control.abandon('superseded');
    this.runs.set(executionId, run);
    void run
      .execute()
      .catch((error: unknown) =>
        this.logger.error({ err: error, execution_id: executionId }, 'run ended without a report'),
      )
      .finally(() => {
        if (this.runs.get(executionId) === run) this.runs.delete(executionId);
        for (const notify of this.ended) notify();
      });
  }

  abandonAll(reason: AbandonReason): void {
    for (const run of this.runs.values()) run.control.abandon(reason);
  }

  /** Resolves when at least one slot is free. */
  async whenFree(signal: AbortSignal): Promise<void> {
    while (this.free <= 0 && !signal.aborted) await this.nextEnd(signal);
  }

  /** Resolves when nothing runs any more, or the signal ends the wait. */
  async whenIdle(signal: AbortSignal): Promise<void> {
    while (this.runs.size > 0 && !signal.aborted) await this.nextEnd(signal);
  }

  private async nextEnd(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = () => {
        this.ended.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.ended.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }
}
