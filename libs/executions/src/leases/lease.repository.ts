import { Database } from '@app/database';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { countCte } from '../executions/execution-counts.sql.js';
import { EXECUTION_ORDER } from '../executions/execution.columns.js';
import type { ExecutionStatus } from '../executions/execution-state.js';
import type { ExecutionOrder } from '../executions/execution.types.js';
import type { HandBackCause, WorkerCommand } from './lease.types.js';

export interface Claim {
  readonly organizationId: string;
  readonly executionId: string;
  readonly attempt: number;
  readonly queueId: string;
  readonly workerId: string;
  readonly token: string;
  readonly expiresAt: Date;
  readonly leaseMs: number;
}

/** An execution whose lease was taken away. */
export interface ReleasedExecution {
  readonly organization_id: string;
  readonly id: string;
  readonly status: ExecutionStatus;
  readonly previous_status: ExecutionStatus;
  readonly attempt: number;
  readonly worker_queue_id: string | null;
  readonly queued_at: Date | null;
}

@Injectable()
export class LeaseRepository {
  constructor(private readonly database: Database) {}

  /** Gives the lease if the delivery still holds: right attempt and queue, pending, and nobody has it. */
  async claim(claim: Claim): Promise<ExecutionOrder | undefined> {
    const [row] = await this.database.prepared<ExecutionOrder>(
      'lease.claim',
      `UPDATE executions e SET lease_token = $5, lease_worker_id = $6, lease_expires_at = $7, lease_ms = $8,
         command = NULL, command_at = NULL
       WHERE e.organization_id = $1 AND e.id = $2 AND e.attempt = $3 AND e.worker_queue_id = $4
         AND e.status = 'pending' AND e.lease_expires_at IS NULL
       RETURNING ${EXECUTION_ORDER}`,
      [
        ...[claim.organizationId, claim.executionId, claim.attempt, claim.queueId],
        ...[claim.token, claim.workerId, claim.expiresAt, claim.leaseMs],
      ],
    );
    return row;
  }

  /**
   * Renews the leases a worker has taken up, and answers the commands it has to hear; one statement. A lease whose
   * execution is still pending is left alone: perhaps its answer was lost and the worker knows nothing of it, and then a
   * worker that lives on would keep the work from everybody. The write to `running` takes a lease up.
   */
  async renewAll(scope: Scope, workerId: string, now: Date, leaseMs: number): Promise<WorkerCommand[]> {
    return this.database.prepared<WorkerCommand>(
      'lease.renew_all',
      `WITH held AS (${leasesOf('$1', '$2')}), renewed AS (
         UPDATE executions e SET lease_expires_at = $4, lease_ms = $5
         FROM held WHERE e.organization_id = held.organization_id AND e.id = held.id AND held.status <> 'pending'
       ) ${COMMANDS}`,
      [scope.organizationId, workerId, now, new Date(now.getTime() + leaseMs), leaseMs],
    );
  }

  async commandsFor(scope: Scope, workerId: string, now: Date): Promise<WorkerCommand[]> {
    return this.database.prepared<WorkerCommand>('lease.commands', COMMANDS, [scope.organizationId, workerId, now]);
  }

  /**
   * Renews the lease under this token and answers its length, in milliseconds; null when the token is not the current
   * one. Locks the row: in a transaction nobody else gets the lease before its end. A holder that ended its execution has
   * the token and no lease any more; the answer is then the length it had.
   */
  async renew(scope: Scope, executionId: string, token: string, now: Date): Promise<number | null> {
    const [row] = await this.database.prepared<{ valid_ms: number | null }>(
      'lease.renew',
      `UPDATE executions SET lease_expires_at = CASE
         WHEN lease_expires_at IS NULL THEN NULL ELSE $4::timestamptz + lease_ms * interval '1 millisecond' END
       WHERE organization_id = $1 AND id = $2 AND lease_token = $3
       RETURNING lease_ms AS valid_ms`,
      [scope.organizationId, executionId, token, now],
    );
    return row?.valid_ms ?? null;
  }

  /** Takes away leases that ran out, some at a time, several dispatchers side by side. */
  async releaseExpired(now: Date, limit: number): Promise<ReleasedExecution[]> {
    const chosen = `SELECT organization_id, id, status FROM executions WHERE lease_expires_at <= $1
      ORDER BY lease_expires_at LIMIT $2 FOR UPDATE SKIP LOCKED`;
    const cause = `'The worker stopped responding (attempt ' || e.attempt || ' of ' || e.max_attempts || ')'`;
    return this.database.sql<ReleasedExecution>(releaseStatement(chosen, 1, cause), [now, limit]);
  }

  /** Takes away one lease that was given but never reached its worker. */
  async releaseOne(scope: Scope, executionId: string, token: string, now: Date): Promise<ReleasedExecution[]> {
    const chosen = `SELECT organization_id, id, status FROM executions
      WHERE organization_id = $2 AND id = $3 AND lease_token = $4 AND lease_expires_at IS NOT NULL FOR UPDATE`;
    const text = releaseStatement(chosen, 0, 'e.error_message');
    return this.database.sql<ReleasedExecution>(text, [now, scope.organizationId, executionId, token]);
  }

  /** Takes away all leases of a worker that gives them up. */
  async releaseOf(scope: Scope, workerId: string, cause: HandBackCause, now: Date): Promise<ReleasedExecution[]> {
    const chosen = leasesOf('$2', '$3');
    const message = `'The worker crashed (attempt ' || e.attempt || ' of ' || e.max_attempts || ')'`;
    const text = releaseStatement(chosen, cause === 'crash' ? 1 : 0, message);
    return this.database.sql<ReleasedExecution>(text, [now, scope.organizationId, workerId]);
  }
}

/** Locked in one order, so that two requests of one worker at the same time wait for each other and do not deadlock. */
function leasesOf(organization: string, worker: string): string {
  return `
    SELECT organization_id, id, status FROM executions
    WHERE organization_id = ${organization} AND lease_worker_id = ${worker} AND lease_expires_at IS NOT NULL
    ORDER BY id FOR UPDATE`;
}

/** Commands are repeated for two lease lengths after they were given: a lost answer to a heartbeat loses none. */
const COMMANDS = `
  SELECT command, id AS execution_id FROM executions
  WHERE organization_id = $1 AND lease_worker_id = $2 AND command IS NOT NULL
    AND command_at > $3::timestamptz - 2 * lease_ms * interval '1 millisecond'
  ORDER BY command_at`;

/**
 * Ends leases without ending their executions: they become pending again, to be delivered as the next attempt, or fail
 * when no attempt is left. A paused one stays paused, and is delivered when it is resumed. `$1` is now.
 */
function releaseStatement(chosen: string, cost: 0 | 1, cause: string): string {
  const spent = `(${cost} = 1 AND e.attempt >= e.max_attempts)`;
  const paused = `e.status = 'paused'`;
  return `
    WITH chosen AS (${chosen}), changed AS (
      UPDATE executions e SET
        lease_token = NULL, lease_worker_id = NULL, lease_expires_at = NULL, command = NULL, command_at = NULL,
        status = CASE WHEN ${spent} THEN 'failed' WHEN ${paused} THEN 'paused' ELSE 'pending' END,
        attempt = CASE WHEN ${spent} THEN e.attempt ELSE e.attempt + ${cost} END,
        error_message = CASE WHEN ${spent} THEN ${cause} ELSE e.error_message END,
        completed_at = CASE WHEN ${spent} THEN $1::timestamptz ELSE NULL END,
        queued_at = CASE WHEN ${spent} OR ${paused} THEN NULL ELSE $1::timestamptz END,
        updated_at = $1::timestamptz
      FROM chosen WHERE e.organization_id = chosen.organization_id AND e.id = chosen.id
      RETURNING e.organization_id, e.id, e.status, chosen.status AS previous_status, e.attempt, e.worker_queue_id,
        e.queued_at, e.job_id
    ), ${countCte('changed', 'changed')}
    SELECT * FROM changed`;
}
