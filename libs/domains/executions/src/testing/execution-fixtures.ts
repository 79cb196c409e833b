import type { Database } from '@app/database';
import type { StartExecution } from '../executions/execution.types.js';

/** Returns a request to start an execution, with ordinary values. */
export function startRequest(workerQueueId: string): StartExecution {
  return {
    assignment: { workerQueueId, environmentId: 'environment-1' },
    executionType: 'agent',
    entityId: 'agent-1',
    entityName: 'Greeter',
    prompt: 'Say hello',
    user: { userId: 'user-1', userName: 'Ada', userEmail: 'ada@example.com', userAvatar: null },
    triggerType: 'manual',
  };
}

/** Returns the number of statements of this database that wait for a lock. */
export async function countLockWaits(database: Database): Promise<number> {
  // Uses a separate connection, even if the caller is inside a transaction.
  const [row] = await database.dataSource.query<{ waiting: number }[]>(
    `SELECT count(*)::integer AS waiting FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return row?.waiting ?? 0;
}

/**
 * Simulates that time has passed for all leases, time limits and commands: moves their stored times back, because the
 * database compares them with its own clock.
 */
export async function passLeaseTime(database: Database, milliseconds: number): Promise<void> {
  await database.sql(
    `UPDATE executions SET lease_expires_at = lease_expires_at - $1 * interval '1 millisecond',
       timeout_at = timeout_at - $1 * interval '1 millisecond',
       command_at = command_at - $1 * interval '1 millisecond'
     WHERE lease_expires_at IS NOT NULL OR command_at IS NOT NULL`,
    [milliseconds],
  );
}
