import type { Logger } from '@app/observability';
import type { ActiveRuns } from './active-runs.js';
import type { ExecutionRun } from './execution-run.js';
import type { ControlPlanePort, WorkerCommand } from './control-plane.port.js';

/** Even the shortest lease does not make a worker beat faster than this, in milliseconds. */
const LEAST_INTERVAL_MS = 100;

/** A run that writes nothing for a while learns by heartbeat only that it is cancelled: it need not wait longer than this. */
const BUSY_INTERVAL_MS = 5_000;

/** Time between two heartbeats: half of what the queue asks for, at work also a third of the shortest lease under way. */
export function heartbeatDelay(intervalSeconds: number, shortestLeaseMs: number | null): number {
  const asked = (intervalSeconds * 1000) / 2;
  if (shortestLeaseMs === null) return Math.max(LEAST_INTERVAL_MS, asked);
  return Math.max(LEAST_INTERVAL_MS, Math.min(asked, shortestLeaseMs / 3, BUSY_INTERVAL_MS));
}

/** Keeps a worker and its leases alive, and carries out the commands that come back. */
export class Heartbeat {
  private rearm: (() => void) | null = null;

  constructor(
    private readonly controlPlane: ControlPlanePort,
    private readonly runs: ActiveRuns,
    private readonly logger: Logger,
  ) {}

  /** Beats until the signal ends it; rejects when the control plane no longer knows the worker. */
  async keepUp(workerId: string, intervalSeconds: number, signal: AbortSignal): Promise<void> {
    let last = performance.now();
    let interval = intervalSeconds;
    while (!signal.aborted) {
      const rest = last + heartbeatDelay(interval, this.runs.shortestLeaseMs) - performance.now();
      if (rest > 0) {
        await this.pause(rest, signal);
        continue;
      }
      last = performance.now();
      const isBusy = this.runs.executionIds.length > 0;
      const answer = await this.controlPlane.heartbeat(workerId, isBusy, signal);
      interval = answer.intervalSeconds;
      for (const command of answer.commands) this.carryOut(command);
    }
  }

  /** To be called when a lease came in: it may need an earlier beat. */
  noteLease(): void {
    this.rearm?.();
  }

  private carryOut({ command, executionId }: WorkerCommand): void {
    const run = this.runs.find(executionId);
    if (run === undefined || !obey(run, command)) return;
    this.logger.info({ command, execution_id: executionId, trace_id: run.lease.traceId }, 'command');
  }

  private async pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.rearm = null;
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      signal.addEventListener('abort', done, { once: true });
      this.rearm = done;
    });
  }
}

/** Answers whether the command changed anything. */
function obey({ control }: ExecutionRun, command: string): boolean {
  if (command === 'pause') return control.pause();
  if (command === 'resume') return control.resume();
  if (command !== 'cancel') return false;
  control.abandon('cancelled');
  return true;
}
