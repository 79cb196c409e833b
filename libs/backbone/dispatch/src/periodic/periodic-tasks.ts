import { DispatchConfig } from '@app/config';
import { createLogger } from '@app/observability';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';

/**
 * Maximum rest after a run, unless the task sets another one. A task rests four times as long as its run took, so that
 * it does not overload a slow store.
 */
const MAX_REST_MS = 5000;

/** One run of a task. `signal` is aborted at shutdown: finish the current step and return. */
export type PeriodicWork = (signal: AbortSignal) => Promise<void>;

interface TaskState {
  running: Promise<void> | undefined;
  restUntil: number;
  failing: boolean;
}

/**
 * Runs the periodic tasks of a dispatcher, which `@nestjs/schedule` triggers. In one process, the runs of a task never
 * overlap. Runs in different dispatchers can overlap, so every task must be safe to run concurrently with itself. A
 * failing task is logged once and retried at its next tick. Shutdown waits for the runs in progress.
 */
@Injectable()
export class PeriodicTasks implements BeforeApplicationShutdown {
  private readonly logger = createLogger('periodic');
  private readonly stopping = new AbortController();
  private readonly states = new Map<string, TaskState>();

  constructor(
    private readonly scheduler: SchedulerRegistry,
    private readonly config: DispatchConfig,
  ) {}

  /**
   * Runs a task at once, then repeatedly at an interval. For tasks whose period is a setting, or that must run at start;
   * other tasks use `@PeriodicTask`.
   */
  every(name: string, intervalMs: number, work: PeriodicWork): void {
    const tick = (): void => void this.run(name, work);
    this.scheduler.addInterval(name, setInterval(tick, intervalMs));
    tick();
  }

  /** Like `every`, at the interval of the recovery of lost deliveries and leases (`DispatchConfig.reconcileIntervalMs`). */
  everyReconcileInterval(name: string, work: PeriodicWork): void {
    this.every(name, this.config.reconcileIntervalMs, work);
  }

  /** Runs a task once, unless its previous run or the rest after it has not ended. Never rejects. */
  async run(name: string, work: PeriodicWork, maxRestMs = MAX_REST_MS): Promise<void> {
    const state = this.stateOf(name);
    if (this.stopping.signal.aborted || state.running !== undefined || performance.now() < state.restUntil) return;
    state.running = this.attempt(name, work, state, maxRestMs);
    await state.running;
    state.running = undefined;
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    for (const { running } of this.states.values()) await running;
  }

  private async attempt(name: string, work: PeriodicWork, state: TaskState, maxRestMs: number): Promise<void> {
    const startedAt = performance.now();
    try {
      await work(this.stopping.signal);
      if (state.failing) this.logger.info({ task: name }, 'periodic task recovered');
      state.failing = false;
      const endedAt = performance.now();
      state.restUntil = endedAt + Math.min(4 * (endedAt - startedAt), maxRestMs);
    } catch (error) {
      // Logged once per outage: while a store is unreachable every run fails.
      this.logger[state.failing ? 'debug' : 'error']({ err: error, task: name }, 'periodic task failed, retrying');
      state.failing = true;
    }
  }

  private stateOf(name: string): TaskState {
    const known = this.states.get(name);
    if (known !== undefined) return known;
    const state: TaskState = { running: undefined, restUntil: 0, failing: false };
    this.states.set(name, state);
    return state;
  }
}
