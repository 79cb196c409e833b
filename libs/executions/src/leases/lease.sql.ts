import { DATABASE_NOW, type PreparedStatement } from '@app/database';
import { failureCause } from '../executions/failure-cause.js';
import { countCte } from '../executions/execution-counts.sql.js';
import { EXECUTION_WITH_CONFIG } from '../executions/execution-columns.sql.js';
import { after } from '../executions/lease-time.sql.js';
import { ENDED_ATTEMPT, KEPT_USAGE } from '../executions/retry.sql.js';
import { notStopped } from '../stops/work-stop.sql.js';
import { BY_PLATFORM, noteTransitions, type NotedActor } from '../executions/transition.sql.js';
import type { LeaseChange } from '../executions/transition.types.js';

/**
 * Selects and locks the leases of a worker in a fixed order, so that concurrent requests of a worker wait and do not
 * deadlock.
 */
function leasesOf(organization: string, worker: string): string {
  return `
    SELECT organization_id, id, status, lease_worker_id, runner_name FROM executions
    WHERE organization_id = ${organization} AND lease_worker_id = ${worker} AND lease_expires_at IS NOT NULL
    ORDER BY id FOR UPDATE`;
}

/**
 * Commands are returned repeatedly for twice the length of the lease, so that none is lost if the response to a
 * heartbeat is.
 */
const COMMANDS = `
  SELECT command, id AS execution_id, command_at FROM executions
  WHERE organization_id = $1 AND lease_worker_id = $2 AND command IS NOT NULL
    AND command_at > ${DATABASE_NOW} - 2 * lease_ms * interval '1 millisecond'
  ORDER BY command_at`;

/** Returns the CTE that adds the lease of the worker `$6` to the ledger. */
function noteAcquired(relation: string, attempt: string): string {
  return noteTransitions(relation, {
    at: DATABASE_NOW,
    from: `'pending'`,
    to: `'pending'`,
    attempt,
    lease: 'acquired',
    actor: { kind: `'worker'`, id: '$6', name: 'runner_name' },
  });
}

/**
 * Acquires the lease if the delivery is still valid: current attempt and queue, pending, no other lease, and neither the
 * queue nor the worker is stopped. Returns an `ExecutionWithConfig` with `lease_expires_at`. `$1` organization, `$2`
 * execution, `$3` attempt, `$4` queue, `$5` token, `$6` worker, `$7` milliseconds until it expires without a write, `$8`
 * its full length in milliseconds, `$9` runner name or null.
 */
export const CLAIM_EXECUTION: PreparedStatement = {
  name: 'lease.claim',
  text: `WITH claimed AS (
    UPDATE executions e SET lease_token = $5, lease_worker_id = $6, lease_expires_at = ${after('$7::integer')}, lease_ms = $8,
      leased_at = ${DATABASE_NOW}, runner_name = coalesce($9, e.runner_name), command = NULL, command_at = NULL
    WHERE e.organization_id = $1 AND e.id = $2 AND e.attempt = $3 AND e.worker_queue_id = $4
      AND e.status = 'pending' AND e.lease_expires_at IS NULL AND ${notStopped('$1', '$4', '$6')}
    RETURNING ${EXECUTION_WITH_CONFIG}, e.lease_expires_at
  ), noted AS (${noteAcquired('claimed', '$3::integer')})
  SELECT * FROM claimed`,
};

/**
 * Acquires the leases of several deliveries like `CLAIM_EXECUTION`, except those of executions that another transaction
 * has locked. `$1` organization, `$2` to `$4` executions, attempts and tokens (lists of the same length), then the
 * parameters of `CLAIM_EXECUTION` from the queue on, without the token.
 */
export const CLAIM_EXECUTIONS: PreparedStatement = {
  name: 'lease.claim_all',
  text: `
  WITH claimed AS (
    SELECT e.organization_id, e.id, delivered.attempt, delivered.token
    FROM unnest($2::text[], $3::integer[], $4::text[]) AS delivered (id, attempt, token)
    JOIN executions e ON e.organization_id = $1 AND e.id = delivered.id AND e.attempt = delivered.attempt
    WHERE e.worker_queue_id = $5 AND e.status = 'pending' AND e.lease_expires_at IS NULL
      AND ${notStopped('$1', '$5', '$6')}
    FOR UPDATE OF e SKIP LOCKED
  ), leased AS (
  UPDATE executions e SET lease_token = claimed.token, lease_worker_id = $6,
    lease_expires_at = ${after('$7::integer')}, lease_ms = $8,
    leased_at = ${DATABASE_NOW}, runner_name = coalesce($9, e.runner_name), command = NULL, command_at = NULL
  FROM claimed WHERE e.organization_id = claimed.organization_id AND e.id = claimed.id
  RETURNING ${EXECUTION_WITH_CONFIG}, e.lease_expires_at, claimed.token
  ), noted AS (${noteAcquired('claimed JOIN leased USING (organization_id, id)', 'claimed.attempt')})
  SELECT * FROM leased`,
};

/**
 * Condition of the leases that a heartbeat renews. `$1` organization, `$2` worker, `$3` ids of the executions; null:
 * all.
 */
const RENEWABLE = `organization_id = $1 AND lease_worker_id = $2 AND lease_expires_at IS NOT NULL AND status <> 'pending'
  AND ($3::text[] IS NULL OR id = ANY($3))`;

function renewal(locking: 'SKIP LOCKED' | ''): string {
  return `WITH held AS (
      SELECT organization_id, id FROM executions WHERE ${RENEWABLE} ORDER BY id FOR UPDATE ${locking}
    ), renewed AS (
      UPDATE executions e SET lease_expires_at = ${after('$4::integer')}, lease_ms = $4::integer
      FROM held WHERE e.organization_id = held.organization_id AND e.id = held.id
    )`;
}

/**
 * Renews the leases of a worker whose executions have left `pending`, and returns its commands; then a row without a
 * command for each lease that was not renewed because another transaction has locked the execution, and of which less
 * than half remains. If more remains, the next heartbeat is in time, and the lock usually belongs to another write of
 * the same worker. `$1` organization, `$2` worker, `$3` ids of the executions to renew or null for all, `$4` length in
 * milliseconds.
 */
export const RENEW_LEASES: PreparedStatement = {
  name: 'lease.renew_all',
  text: `${renewal('SKIP LOCKED')}, commands AS (${COMMANDS})
    SELECT command, execution_id, command_at FROM commands
    UNION ALL
    SELECT NULL, id, NULL FROM executions
      WHERE ${RENEWABLE} AND lease_expires_at < ${after('$4::integer / 2')} AND id NOT IN (SELECT id FROM held)
    ORDER BY command_at NULLS LAST`,
};

/** Like `RENEW_LEASES`, but waits for locked executions and returns one row. */
export const RENEW_LOCKED_LEASES = `${renewal('')} SELECT 1 AS one`;

/** Limits the wait for each lock of the current transaction. A statement that waits longer fails with 55P03. */
export const LIMIT_LOCK_WAIT = "SET LOCAL lock_timeout = '2s'";

/** Each `WorkerCommand`. `$1` organization, `$2` worker. */
export const FIND_COMMANDS: PreparedStatement = { name: 'lease.commands', text: COMMANDS };

/**
 * Each `WorkerCommand`; then a row without a command for each of the leases that may be delivered: it is held, and
 * neither its queue nor its worker is stopped. `$1` organization, `$2` worker, `$3` and `$4` executions and tokens in
 * pairs.
 */
export const CONFIRM_LEASES: PreparedStatement = {
  name: 'lease.confirm',
  text: `WITH commands AS (${COMMANDS})
    SELECT command, execution_id, command_at FROM commands
    UNION ALL
    SELECT NULL, e.id, NULL FROM unnest($3::text[], $4::text[]) AS leased (id, token)
      JOIN executions e ON e.organization_id = $1 AND e.id = leased.id AND e.lease_token = leased.token
      WHERE e.lease_expires_at IS NOT NULL AND ${notStopped('$1', 'e.worker_queue_id', '$2')}
    ORDER BY command_at NULLS LAST`,
};

/** Renews one lease and returns its length. `$1` organization, `$2` execution, `$3` token. */
export const RENEW_LEASE: PreparedStatement = {
  name: 'lease.renew',
  text: `UPDATE executions SET lease_expires_at = CASE
      WHEN lease_expires_at IS NULL THEN NULL ELSE ${after('lease_ms')} END
    WHERE organization_id = $1 AND id = $2 AND lease_token = $3
    RETURNING lease_ms AS valid_ms`,
};

interface Release {
  /** The number of attempts that the release costs. */
  readonly cost: 0 | 1;
  /** The beginning of the error message if no attempt is left. */
  readonly reason: string;
  readonly lease: LeaseChange;
  /** Who released the lease. Absent: the platform. */
  readonly actor?: NotedActor;
}

/**
 * Ends the leases of `chosen`, whose executions have not ended, and returns each `ReleasedExecution`. If the release
 * costs an attempt, the executions are delivered as the next attempt, or fail with the reason if no attempt is left or
 * the policy does not retry lost attempts; otherwise the same attempt is delivered again. A paused execution stays
 * paused and is delivered when it is resumed. `$1` is the current time.
 */
function releaseStatement(chosen: string, { cost, reason, lease, actor = BY_PLATFORM }: Release): string {
  const spent = `(${cost} = 1 AND (e.attempt >= e.max_attempts OR NOT 'lost' = ANY(e.retry_on)))`;
  const paused = `e.status = 'paused'`;
  return `
    WITH chosen AS (${chosen}), changed AS (
      UPDATE executions e SET
        ${[...ENDED_ATTEMPT, KEPT_USAGE].join(', ')},
        status = CASE WHEN ${spent} THEN 'failed' WHEN ${paused} THEN 'paused' ELSE 'pending' END,
        attempt = CASE WHEN ${spent} THEN e.attempt ELSE e.attempt + ${cost} END,
        error_message = CASE WHEN ${spent} THEN '${reason} (attempt ' || e.attempt || ' of ' || e.max_attempts || ')'
          ELSE e.error_message END,
        cause = CASE WHEN ${spent} THEN '${failureCause(`${reason} (attempt 1 of 3)`)}' ELSE e.cause END,
        completed_at = CASE WHEN ${spent} THEN $1::timestamptz ELSE NULL END,
        queued_at = CASE WHEN ${spent} OR ${paused} THEN NULL ELSE $1::timestamptz END,
        updated_at = $1::timestamptz
      FROM chosen WHERE e.organization_id = chosen.organization_id AND e.id = chosen.id
      RETURNING e.organization_id, e.id, e.status, chosen.status AS previous_status, e.attempt, e.worker_queue_id,
        e.queued_at, e.job_id
    ), ${countCte('changed', 'changed')}, noted AS (${noteTransitions(
      'changed JOIN chosen USING (organization_id, id)',
      {
        at: '$1',
        from: 'previous_status',
        to: 'changed.status',
        attempt: 'attempt',
        lease,
        queuedAt: 'queued_at',
        actor,
        reason: `'${reason}'`,
      },
    )})
    SELECT * FROM changed`;
}

/**
 * Releases leases that have expired, before `$3` if that is not null, oldest first; skips rows that another dispatcher
 * has locked. `$1` now, `$2` limit.
 */
export const RELEASE_EXPIRED = releaseStatement(
  `SELECT organization_id, id, status, lease_worker_id, runner_name FROM executions WHERE lease_expires_at < least(${DATABASE_NOW}, $3)
   ORDER BY lease_expires_at LIMIT $2 FOR UPDATE SKIP LOCKED`,
  { cost: 1, reason: 'The worker stopped responding', lease: 'expired' },
);

const LEASE_OF_TOKEN = `SELECT organization_id, id, status, lease_worker_id, runner_name FROM executions
   WHERE organization_id = $2 AND id = $3 AND lease_token = $4 AND lease_expires_at IS NOT NULL FOR UPDATE`;

/** Releases one lease that did not reach its worker. `$1` now, `$2` organization, `$3` execution, `$4` token. */
export const RELEASE_UNDELIVERED = releaseStatement(LEASE_OF_TOKEN, {
  cost: 0,
  reason: 'The lease did not reach its worker',
  lease: 'handed_back',
});

/** Releases one lease whose run could not be assembled. Parameters as in `RELEASE_UNDELIVERED`. */
export const RELEASE_NOT_ASSEMBLED = releaseStatement(LEASE_OF_TOKEN, {
  cost: 1,
  reason: 'The control plane could not assemble the run, see its log',
  lease: 'handed_back',
});

const BY_WORKER: NotedActor = { kind: `'worker'`, id: 'chosen.lease_worker_id', name: 'chosen.runner_name' };

/** Releases all leases of a worker that crashed. `$1` now, `$2` organization, `$3` worker. */
export const RELEASE_CRASHED = releaseStatement(leasesOf('$2', '$3'), {
  cost: 1,
  reason: 'The worker crashed',
  lease: 'expired',
  actor: BY_WORKER,
});

/** Releases all leases of a worker that shut down. `$1` now, `$2` organization, `$3` worker. */
export const RELEASE_SHUT_DOWN = releaseStatement(leasesOf('$2', '$3'), {
  cost: 0,
  reason: 'The worker shut down',
  lease: 'handed_back',
  actor: BY_WORKER,
});
