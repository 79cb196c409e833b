import { DATABASE_NOW, type PreparedStatement } from '@app/database';
import { failureCause } from '../executions/failure-cause.js';
import { countCte } from '../executions/execution-counts.sql.js';
import { ENDED_ATTEMPT, isRetried, KEPT_USAGE, retryAt } from '../executions/retry.sql.js';
import { BY_PLATFORM, noteTransitions } from '../executions/transition.sql.js';
import { DEFAULT_TIMEOUT_MS } from '../executions/run-limits.js';

/** The same wording as in the reference worker, so that both failures have the same cause. */
const TIMED_OUT = 'The execution did not finish within';
const SECONDS = `trim_scale(coalesce(e.timeout_ms, ${DEFAULT_TIMEOUT_MS}) / 1000.0)`;

/**
 * Ends attempts that exceed their time limit by more than a lease, because their workers have not ended them. The
 * executions become pending again and are delivered as the next attempt after its delay, or they fail. The worker of a
 * failed execution receives the command to cancel the run. The worker of a retried one receives no command, because a
 * command names the execution and not the attempt: its run ends at its own time limit or with its next write, which is
 * rejected. Returns each `ReleasedExecution`; skips rows that another dispatcher has locked. `$1` now, `$2` limit,
 * `$3` time before which the limits must have been exceeded, or null.
 */
export const END_TIMED_OUT = `
  WITH chosen AS (
    SELECT organization_id, id, status, ${isRetried("'timeout'")} AS retried FROM executions
    WHERE lease_expires_at IS NOT NULL AND timeout_at + lease_ms * interval '1 millisecond' < least(${DATABASE_NOW}, $3)
    ORDER BY lease_expires_at LIMIT $2 FOR UPDATE SKIP LOCKED
  ), failed AS (
    UPDATE executions e SET status = 'failed', completed_at = greatest($1::timestamptz, e.started_at), queued_at = NULL,
      lease_token = NULL, lease_expires_at = NULL, command = 'cancel', command_at = ${DATABASE_NOW},
      ${failureOf('NOT chosen.retried')}
  ), queued AS (
    UPDATE executions e SET status = 'pending', attempt = e.attempt + 1, queued_at = ${retryAt('$1::timestamptz')},
      ${[...ENDED_ATTEMPT, KEPT_USAGE].join(', ')},
      ${failureOf('chosen.retried')}
  ), changed AS (SELECT * FROM failed UNION ALL SELECT * FROM queued), ${countCte('changed', 'changed')},
  noted AS (${noteTransitions('changed', {
    at: '$1',
    from: 'previous_status',
    to: 'status',
    attempt: 'attempt',
    queuedAt: 'queued_at',
    actor: BY_PLATFORM,
    reason: 'error_message',
  })})
  SELECT * FROM changed`;

/** Returns the end of an UPDATE statement that applies to the rows of `chosen` for which the condition holds. */
function failureOf(condition: string): string {
  return `error_message = '${TIMED_OUT} ' || ${SECONDS} || ' s',
      cause = '${failureCause(`${TIMED_OUT} 1 s`)}', updated_at = $1::timestamptz
    FROM chosen WHERE e.organization_id = chosen.organization_id AND e.id = chosen.id AND ${condition}
    RETURNING e.organization_id, e.id, e.status, chosen.status AS previous_status, e.attempt, e.worker_queue_id,
      e.queued_at, e.job_id, e.error_message, CASE WHEN e.command IS NOT NULL THEN e.lease_worker_id END AS commanded_worker`;
}

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
