import { columnsOf, DATABASE_NOW, type PreparedStatement } from '@app/database';
import { JobInstantEntity } from './job-instant.entity.js';

const INSTANT = columnsOf(JobInstantEntity);

/**
 * Records instants that are not recorded yet and returns each as a `JobInstant`. `$1` to `$4` jobs, instants,
 * organizations and states, lists of the same length; `$5` the time from which dispatchers may take them.
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
 * Takes due instants that no other dispatcher has locked, and returns each as a `JobInstant`: of up to `$2`
 * organizations after `$3`, in the order of their ids, the `$4` instants of each that have been due longest. No other
 * dispatcher takes them for 6 s; this time grows with each attempt, up to a minute. The statement steps through the
 * index from the first instant of an organization to that of the next one (`walk`), so its cost does not grow with the
 * instants of other organizations. `$1` now, `$2` also the maximum number of instants.
 */
export const TAKE_INSTANTS: PreparedStatement = {
  name: 'job_instants.take',
  text: `WITH RECURSIVE walk (organization_id, due_at) AS (
      SELECT $3::text, NULL::timestamptz
      UNION ALL
      SELECT following.organization_id, following.due_at FROM walk CROSS JOIN LATERAL (
        SELECT organization_id, due_at FROM job_instants
        WHERE due_at IS NOT NULL AND organization_id > walk.organization_id ORDER BY organization_id, due_at LIMIT 1
      ) following
    ), organizations AS (
      SELECT organization_id FROM walk WHERE due_at <= $1 LIMIT $2
    ), taken AS (
      SELECT own.job_id, own.instant FROM organizations CROSS JOIN LATERAL (
        SELECT job_id, instant FROM job_instants
        WHERE organization_id = organizations.organization_id AND due_at <= $1
        ORDER BY due_at LIMIT $4 FOR UPDATE SKIP LOCKED
      ) own LIMIT $2
    )
    UPDATE job_instants SET
      attempts = attempts + 1,
      due_at = $1::timestamptz + least(5 + power(2, least(attempts, 6)), 60) * interval '1 second'
    WHERE (job_id, instant) IN (SELECT job_id, instant FROM taken)
    RETURNING ${INSTANT.join(', ')}`,
};

/** Locks and returns the `JobInstant` if it must still be started or reported. `$1` job, `$2` instant. */
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

/** Deletes instants in a final state that were scheduled before a time. `$1` time, `$2` maximum number. */
export const PRUNE_INSTANTS = `
  DELETE FROM job_instants WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM job_instants
    WHERE instant < $1 AND state NOT IN ('due', 'missed', 'queued') LIMIT $2 FOR UPDATE SKIP LOCKED
  )) RETURNING 1 AS one`;

/**
 * Returns the delay of the oldest due instant as `lag_seconds`, and the number of due instants as `due`, up to 10,000.
 * Instants that wait for the end of a previous run do not count.
 */
export const READ_SCHEDULE_LAG = `
  SELECT count(*)::integer AS due,
    coalesce(greatest(extract(epoch FROM ${DATABASE_NOW} - min(instant)), 0), 0)::double precision AS lag_seconds
  FROM (SELECT instant FROM job_instants WHERE due_at IS NOT NULL AND state = 'due' ORDER BY due_at LIMIT 10000) counted`;
