import type { Logger } from '@app/observability';
import type { ActiveRuns } from './active-runs.js';
import type { ExecutionRun } from './execution-run.js';
import type { ControlPlanePort, WorkerCommand } from '../control-plane/control-plane.port.js';

/** Lower bound of the interval, even for very short leases. */
const MIN_INTERVAL_MS = 100;

/**
 * Upper bound with active runs: without a WebSocket, a run that writes nothing learns of its cancellation only from the
 * next heartbeat, and its processes must have ended two seconds after the cancellation.
 */
const MAX_BUSY_INTERVAL_MS = 1_500;

/**
 * Returns the time between two heartbeats in milliseconds: half of the queue's interval; with active runs, at most a
 * third of their shortest lease.
 */
export function heartbeatDelay(intervalSeconds: number, shortestLeaseMs: number | null): number {
  const idleDelay = (intervalSeconds * 1000) / 2;
  if (shortestLeaseMs === null) return Math.max(MIN_INTERVAL_MS, idleDelay);
  return Math.max(MIN_INTERVAL_MS, Math.min(idleDelay, shortestLeaseMs / 3, MAX_BUSY_INTERVAL_MS));
}

/** Sends heartbeats, which keep the worker and its leases alive, and executes the commands of the responses. */
export class Heartbeat {
  private endPause: (() => void) | null = null;
  private isDue = false;

  constructor(
    private readonly controlPlane: ControlPlanePort,
    private readonly runs: ActiveRuns,
    private readonly logger: Logger,
  ) {}

  /** Sends heartbeats until the signal is aborted. Rejects when a heartbeat fails. */
  async run(workerId: string, intervalSeconds: number, signal: AbortSignal): Promise<void> {
    let lastSentAt = performance.now();
    let interval = intervalSeconds;
    while (!signal.aborted) {
      const delay = lastSentAt + heartbeatDelay(interval, this.runs.shortestLeaseMs) - performance.now();
      if (delay > 0 && !this.isDue) {
        await this.pause(delay, signal);
        continue;
      }
      this.isDue = false;
      lastSentAt = performance.now();
      const response = await this.controlPlane.heartbeat(workerId, this.runs.executionIds, signal);
      interval = response.intervalSeconds;
      for (const command of response.commands) this.execute(command);
    }
  }

  /** Recomputes the time of the next heartbeat. To be called after new leases, which may need an earlier one. */
  reschedule(): void {
    this.endPause?.();
  }

  /** Executes a command that was not received with a heartbeat. */
  execute({ command, executionId }: WorkerCommand): void {
    if (executionId === null) return this.executeOwn(command);
    const run = this.runs.find(executionId);
    if (run === undefined || !applyCommand(run, command)) return;
    this.logger.info({ command, execution_id: executionId, trace_id: run.lease.trace.traceId }, 'command executed');
  }

  /** `reload`: the settings of the queue have changed; the response to a heartbeat contains them. */
  private executeOwn(command: string): void {
    if (command !== 'reload') return;
    this.isDue = true;
    this.endPause?.();
  }

  private async pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.endPause = null;
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      signal.addEventListener('abort', done, { once: true });
      this.endPause = done;
    });
  }
}

/** Returns whether the command changed the run. */
function applyCommand({ control }: ExecutionRun, command: string): boolean {
  if (command === 'pause') return control.pause();
  if (command === 'resume') return control.resume();
  if (command !== 'cancel') return false;
  control.abandon('cancelled');
  return true;
}
