import { columnsOf, DATABASE_NOW, type PreparedStatement } from '@app/database';
import { JobEntity } from './job.entity.js';

const SELECT_JOB = `SELECT ${columnsOf(JobEntity).join(', ')} FROM jobs`;

/** Returns a `Job`; part of every trigger. `$1` organization, `$2` job. */
export const FIND_JOB: PreparedStatement = {
  name: 'jobs.find',
  text: `${SELECT_JOB} WHERE organization_id = $1 AND id = $2`,
};

/** Returns the `Job` of a webhook call. `$1` token. */
export const FIND_JOB_BY_WEBHOOK_TOKEN: PreparedStatement = {
  name: 'jobs.find_by_webhook_token',
  text: `${SELECT_JOB} WHERE webhook_token = $1`,
};

const SCHEDULED = [
  ...(['id', 'organization_id', 'enabled', 'trigger_type', 'cron_schedule', 'cron_timezone', 'config'] as const),
  'next_execution_at',
] as const satisfies (keyof JobEntity)[];

const SELECT_DUE = `SELECT ${SCHEDULED.join(', ')} FROM jobs WHERE next_execution_at <= $1`;

/**
 * Locks due jobs of any organization, except those that another transaction has locked, and returns each
 * `ScheduledJob`: first the job of each organization that has been due longest, then the next of each, so that an
 * organization with thousands of due jobs does not delay others. Reads more rows than it locks, because other
 * transactions may have locked some. `$1` now, `$2` maximum number.
 */
export const LOCK_DUE_JOBS: PreparedStatement = {
  name: 'jobs.lock_due',
  text: `WITH due AS (
      SELECT id, next_execution_at AS due_at, row_number() OVER (PARTITION BY organization_id ORDER BY next_execution_at) AS turn
      FROM jobs WHERE next_execution_at <= $1 ORDER BY turn, due_at LIMIT 4 * $2
    )
    SELECT ${SCHEDULED.map((column) => `jobs.${column}`).join(', ')} FROM due JOIN jobs ON jobs.id = due.id
    WHERE jobs.next_execution_at <= $1
    ORDER BY due.turn, due.due_at LIMIT $2 FOR NO KEY UPDATE OF jobs SKIP LOCKED`,
};

/** Returns a row if the job is due. `$1` now, `$2` job. */
export const FIND_DUE_JOB: PreparedStatement = {
  name: 'jobs.find_due_one',
  text: 'SELECT 1 AS due FROM jobs WHERE next_execution_at <= $1 AND id = $2',
};

/** Like `LOCK_DUE_JOBS` for one job, and waits for its lock. `$1` now, `$2` job. */
export const LOCK_DUE_JOB: PreparedStatement = {
  name: 'jobs.lock_due_one',
  text: `${SELECT_DUE} AND id = $2 FOR NO KEY UPDATE`,
};

/**
 * Replaces the next time of a job, unless the stored time has changed, or the new time has passed according to the
 * database, which means that the clock of the caller is behind. `$1` job, `$2` the stored time, `$3` the new one.
 */
export const MOVE_BACK: PreparedStatement = {
  name: 'jobs.move_back',
  text: `UPDATE jobs SET next_execution_at = $3
    WHERE id = $1 AND next_execution_at = $2 AND $3::timestamptz > ${DATABASE_NOW} RETURNING id`,
};

/** Stores the next times of locked jobs. `$1` ids, `$2` the next times; lists of the same length. */
export const MOVE_NEXT: PreparedStatement = {
  name: 'jobs.move_next',
  text: `UPDATE jobs SET next_execution_at = moved.next FROM unnest($1::text[], $2::timestamptz[]) AS moved (id, next)
    WHERE jobs.id = moved.id`,
};

/** Locks and returns the `Job`; inserts that refer to it do not wait for the lock. `$1` organization, `$2` job. */
export const LOCK_JOB_FOR_START: PreparedStatement = {
  name: 'jobs.lock_for_start',
  text: `${SELECT_JOB} WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE`,
};

/** Returns each `ScheduledJob` with a scheduler after an id. `$1` id, `$2` maximum number. */
export const FIND_SCHEDULED: PreparedStatement = {
  name: 'jobs.find_scheduled',
  text: `SELECT ${SCHEDULED.join(', ')} FROM jobs WHERE engine_schedule_id > $1 ORDER BY engine_schedule_id LIMIT $2`,
};

/** Returns the number of jobs with a scheduler, as `jobs`. */
export const COUNT_SCHEDULED: PreparedStatement = {
  name: 'jobs.count_scheduled',
  text: 'SELECT count(*)::integer AS jobs FROM jobs WHERE engine_schedule_id IS NOT NULL',
};
