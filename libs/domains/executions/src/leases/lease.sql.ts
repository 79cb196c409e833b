import { DATABASE_NOW, type PreparedStatement } from '@app/database';
import { executionByKey } from '../executions/execution-by-key.sql.js';
import { EXECUTION_WITH_CONFIG } from '../executions/execution-columns.sql.js';
import { after } from '../executions/lease-time.sql.js';
import { DEFAULT_TIMEOUT_MS } from '../executions/run-limits.js';
import { notStopped } from '../stops/work-stop.sql.js';
import { noteTransitions } from '../executions/transition.sql.js';

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

const isClaimable = (execution: string): string => `${execution}.attempt = delivered.attempt
      AND ${execution}.worker_queue_id = $5 AND ${execution}.status = 'pending' AND ${execution}.lease_expires_at IS NULL`;

/** Locks only what is claimed, and checks it again once it has the lock. */
function claim(locking: 'SKIP LOCKED' | ''): string {
  return `
  WITH claimed AS MATERIALIZED (
    SELECT e.organization_id, e.id, delivered.attempt, delivered.token
    FROM unnest($2::text[], $3::integer[], $4::text[]) AS delivered (id, attempt, token)
      CROSS JOIN ${executionByKey('$1', 'delivered.id')} AS seen
      CROSS JOIN ${executionByKey('$1', 'seen.id', `FOR NO KEY UPDATE ${locking}`)} AS e
    WHERE ${isClaimable('seen')} AND ${isClaimable('e')} AND ${notStopped('$1', '$5', '$6')}
  ), leased AS (
  UPDATE executions e SET lease_token = claimed.token, lease_worker_id = $6,
    lease_expires_at = ${after('$7::integer')}, lease_ms = $8,
    leased_at = ${DATABASE_NOW}, runner_name = coalesce($9, e.runner_name), command = NULL, command_at = NULL
  FROM claimed WHERE e.organization_id = claimed.organization_id AND e.id = claimed.id
  RETURNING ${EXECUTION_WITH_CONFIG}, e.lease_expires_at, claimed.token
  ), noted AS (${noteAcquired('claimed JOIN leased USING (organization_id, id)', 'claimed.attempt')})
  SELECT * FROM leased`;
}

/**
 * Acquires the leases of the deliveries that are still valid: current attempt and queue, pending, no other lease, and
 * neither the queue nor the worker is stopped. Returns each as an `ExecutionWithConfig` with `lease_expires_at` and
 * `token`. Leaves out executions that another transaction has locked. `$1` organization, `$2` to `$4` executions, attempts
 * and tokens (lists of the same length), `$5` queue, `$6` worker, `$7` milliseconds until a lease expires without a
 * write, `$8` its full length in milliseconds, `$9` runner name or null.
 */
export const CLAIM_EXECUTIONS: PreparedStatement = { name: 'lease.claim_all', text: claim('SKIP LOCKED') };

/** Like `CLAIM_EXECUTIONS`, but waits for locked executions. */
export const CLAIM_LOCKED_EXECUTIONS: PreparedStatement = { name: 'lease.claim', text: claim('') };

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
      CROSS JOIN ${executionByKey('$1', 'leased.id')} AS e
      WHERE e.lease_token = leased.token AND e.lease_expires_at IS NOT NULL AND ${notStopped('$1', 'e.worker_queue_id', '$2')}
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

/**
 * Stores the time limit of attempts, if the lease is current; it also applies to the running attempt, from its start.
 * `$1` organization, `$2` execution, `$3` token, `$4` milliseconds or null.
 */
export const SET_TIME_LIMIT: PreparedStatement = {
  name: 'lease.set_time_limit',
  text: `UPDATE executions SET timeout_ms = $4::integer, timeout_at = timeout_at + interval '1 millisecond' *
      (coalesce($4::integer, ${DEFAULT_TIMEOUT_MS}) - coalesce(timeout_ms, ${DEFAULT_TIMEOUT_MS}))
    WHERE organization_id = $1 AND id = $2 AND lease_token = $3`,
};
