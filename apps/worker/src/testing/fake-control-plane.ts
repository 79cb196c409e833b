import { ControlPlaneError } from '../control-plane.errors.js';
import type {
  ControlPlanePort,
  Disconnection,
  ExecutionEvent,
  ExecutionUpdate,
  HeartbeatAnswer,
  JobStatusReport,
  StartedWorker,
  TaskRecord,
  WorkerCommand,
} from '../control-plane.port.js';
import { readLease, type Lease, type LeaseRef } from '../lease.js';

/** A control plane in memory: hands out what a test queues and notes every write in order. */
export class FakeControlPlane implements ControlPlanePort {
  readonly writes: string[] = [];
  readonly events: ExecutionEvent[] = [];
  readonly updates: ExecutionUpdate[] = [];
  readonly polledFor: number[] = [];
  readonly disconnections: Disconnection[] = [];
  readonly beats: boolean[] = [];
  readonly queue: unknown[] = [];
  commands: WorkerCommand[] = [];
  heartbeatInterval = 0.2;
  starts = 0;
  /** Called before each write; throws what the write shall fail with. */
  onWrite: (what: string) => void = () => undefined;
  /** Called before each start, poll and heartbeat. */
  onCall: (what: string) => void = () => undefined;
  private wake: () => void = () => undefined;

  /** Queues leases as they come over the wire. */
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
    return this.queue.splice(0, max).map((wire) => readLease(wire, Date.now(), () => 'trace') as Lease);
  }

  /** Makes a waiting poll look again. */
  nudge(): void {
    this.wake();
  }

  async heartbeat(_workerId: string, isBusy: boolean): Promise<HeartbeatAnswer> {
    this.onCall('heartbeat');
    this.beats.push(isBusy);
    return { intervalSeconds: this.heartbeatInterval, commands: this.commands.splice(0) };
  }

  async patchExecution(lease: LeaseRef, update: ExecutionUpdate): Promise<void> {
    this.write(lease, `patch ${update.status}`);
    this.updates.push(update);
  }

  async publishEvent(lease: LeaseRef, event: ExecutionEvent): Promise<void> {
    this.write(lease, `event ${event.event_type}`);
    this.events.push(event);
  }

  async reportJobStatus(lease: LeaseRef, jobId: string, report: JobStatusReport): Promise<void> {
    this.write(lease, `job ${jobId} ${report.status}`);
  }

  async createTask(lease: LeaseRef, task: TaskRecord, _signal?: AbortSignal): Promise<void> {
    this.write(lease, `task ${task.status}`);
  }

  async disconnect(_workerId: string, disconnection: Disconnection): Promise<void> {
    this.disconnections.push(disconnection);
  }

  private write(lease: LeaseRef, what: string): void {
    this.onWrite(what);
    this.writes.push(`${lease.executionId}: ${what}`);
  }
}

export const gone = () => new ControlPlaneError('gone', 'no longer yours');
