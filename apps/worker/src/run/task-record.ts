import type { TaskRecord } from '../control-plane/control-plane.port.js';
import type { Lease } from '../control-plane/lease.js';
import type { RuntimeUsage } from '../runtimes/runtime.js';

/** An attempt that has ended; times in milliseconds since the epoch. */
interface EndedAttempt {
  readonly status: 'completed' | 'failed';
  readonly error?: string;
  readonly usage: RuntimeUsage | null;
  readonly workerId: string;
  readonly from: number;
  readonly to: number;
}

/** Returns the task record of an attempt; one per attempt. */
export function taskRecordOf(
  { executionId, attempt, agent, kind }: Lease,
  { status, error, usage, workerId, from, to }: EndedAttempt,
): TaskRecord {
  return {
    task_id: `${executionId}:${attempt}`.slice(0, 255),
    task_description: `Run of ${agent.name ?? kind}, attempt ${attempt}`,
    task_type: 'agent_run',
    status,
    started_at: new Date(from).toISOString(),
    completed_at: new Date(to).toISOString(),
    duration_ms: to - from,
    ...(error === undefined ? {} : { error_message: error }),
    metadata: { worker_id: workerId, attempt, ...usage },
  };
}
