import { columnsOf, DATABASE_NOW, type PreparedStatement } from '@app/database';
import { JobInstantEntity } from './job-instant.entity.js';

const INSTANT = columnsOf(JobInstantEntity);

/**
 * Records instants that are not recorded yet and returns each as a `JobInstant`. `$1` to `$4` jobs, instants, organizations
 * and states, lists of the same length; `$5` when a dispatcher may take them.
 */
export const RECORD_INSTANTS: PreparedStatement = {
  name: 'job_instants.record',
  text: `INSERT INTO job_instants (job_id, instant, organization_id, state, due_at, attempts)
    SELECT job_id, instant, organization_id, state, $5, 0
    FROM unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[]) AS came (job_id, instant, organization_id, state)
    ORDER BY job_id, instant
    ON CONFLICT (job_id, instant) DO NOTHING RETURNING ${INSTANT.join(', ')}`,
};

/**
 * Takes due instants and returns each as a `JobInstant`: of each organization the longest due one, then the next of each, so
 * that one with thousands of them delays no other. No other dispatcher takes them for 6 s, and for longer after each attempt,
 * up to a minute. Reads more than it takes, because other dispatchers may have locked some. `$1` now, `$2` maximum number.
 */
export const TAKE_INSTANTS: PreparedStatement = {
  name: 'job_instants.take',
  text: `WITH due AS (
      SELECT job_id, instant, due_at, row_number() OVER (PARTITION BY organization_id ORDER BY due_at) AS turn
      FROM job_instants WHERE due_at <= $1 ORDER BY turn, due_at LIMIT 4 * $2
    ), taken AS (
      SELECT i.job_id, i.instant FROM due JOIN job_instants i ON i.job_id = due.job_id AND i.instant = due.instant
      WHERE i.due_at <= $1 ORDER BY due.turn, due.due_at LIMIT $2 FOR UPDATE OF i SKIP LOCKED
    )
    UPDATE job_instants SET
      attempts = attempts + 1,
      due_at = $1::timestamptz + least(5 + power(2, least(attempts, 6)), 60) * interval '1 second'
    WHERE (job_id, instant) IN (SELECT job_id, instant FROM taken)
    RETURNING ${INSTANT.join(', ')}`,
};

/** Locks and returns the `JobInstant` if it is to be started or reported. `$1` job, `$2` instant. */
export const LOCK_INSTANT: PreparedStatement = {
  name: 'job_instants.lock',
  text: `SELECT ${INSTANT.join(', ')} FROM job_instants
    WHERE job_id = $1 AND instant = $2 AND due_at IS NOT NULL FOR UPDATE`,
};

/** The number of queued instants of a job, as `queued`. `$1` job. */
export const COUNT_QUEUED: PreparedStatement = {
  name: 'job_instants.count_queued',
  text: `SELECT count(*)::integer AS queued FROM job_instants WHERE job_id = $1 AND state = 'queued'`,
};

/** Lets dispatchers take the first queued instant of a job. `$1` job, `$2` now. */
export const ADVANCE_QUEUE: PreparedStatement = {
  name: 'job_instants.advance_queue',
  text: `UPDATE job_instants SET due_at = $2 WHERE job_id = $1 AND instant = (
    SELECT min(instant) FROM job_instants WHERE job_id = $1 AND state = 'queued')`,
};

/** Deletes final instants. `$1` time of the instants before which all are deleted, `$2` maximum number. */
export const PRUNE_INSTANTS = `
  DELETE FROM job_instants WHERE (job_id, instant) IN (
    SELECT job_id, instant FROM job_instants
    WHERE instant < $1 AND state NOT IN ('due', 'missed', 'queued') LIMIT $2 FOR UPDATE SKIP LOCKED
  ) RETURNING 1 AS one`;

/**
 * How late the longest due instant is that is not started, as `lag_seconds`, and how many are due, as `due`, up to 10,000.
 * Instants that wait for the run before them are not late.
 */
export const READ_SCHEDULE_LAG = `
  SELECT count(*)::integer AS due,
    coalesce(greatest(extract(epoch FROM ${DATABASE_NOW} - min(instant)), 0), 0)::double precision AS lag_seconds
  FROM (SELECT instant FROM job_instants WHERE due_at IS NOT NULL AND state = 'due' ORDER BY due_at LIMIT 10000) counted`;
