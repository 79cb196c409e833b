import { columnsOf, type PreparedStatement } from '@app/database';
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

/** Returns each `ScheduledJob` of any organization whose next time has passed, longest first. `$1` now, `$2` maximum number. */
export const FIND_PASSED: PreparedStatement = {
  name: 'jobs.find_passed',
  text: `
  SELECT id, enabled, trigger_type, cron_schedule, cron_timezone, next_execution_at
  FROM jobs WHERE next_execution_at <= $1 ORDER BY next_execution_at LIMIT $2`,
};

/**
 * Stores the next times of jobs that nobody has changed since they were read. `$1` ids, `$2` the times that have passed,
 * `$3` the next times; lists of the same length.
 */
export const MOVE_PASSED: PreparedStatement = {
  name: 'jobs.move_passed',
  text: `
  UPDATE jobs SET next_execution_at = moved.next
  FROM unnest($1::text[], $2::timestamptz[], $3::timestamptz[]) AS moved (id, passed, next)
  WHERE jobs.id = moved.id AND jobs.next_execution_at = moved.passed`,
};
