import type { PreparedStatement } from '@app/database';
import { duration } from '../executions/execution-duration.sql.js';
import { IS_OPEN } from '../executions/execution-state.sql.js';

/** Returns the newest `JobRun`s of each job. `$1` organization, `$2` jobs, `$3` limit for each job. */
export const FIND_NEWEST_RUNS = `
  SELECT run.* FROM unnest($2::text[]) AS job (id) CROSS JOIN LATERAL (
    SELECT e.job_id, e.id AS execution_id, e.trigger_type, e.status, e.created_at, e.started_at, e.completed_at,
      ${duration('e')} AS duration_ms, e.error_message, e.trigger_metadata
    FROM executions e WHERE e.organization_id = $1 AND e.job_id = job.id
    ORDER BY e.created_at DESC, e.id DESC LIMIT $3
  ) run`;

/** Returns the counters and the last execution of each job that has an execution. `$1` organization, `$2` jobs. */
export const COUNT_RUNS = `
  SELECT counts.job_id AS "jobId", sum(counts.total)::integer AS total,
    sum(counts.successful)::integer AS successful, sum(counts.failed)::integer AS failed,
    sum(counts.cancelled)::integer AS cancelled,
    last.id AS "lastExecutionId", last.created_at AS "lastExecutionAt"
  FROM execution_counts counts CROSS JOIN LATERAL (
    SELECT e.id, e.created_at FROM executions e
    WHERE e.organization_id = counts.organization_id AND e.job_id = counts.job_id
    ORDER BY e.created_at DESC, e.id DESC LIMIT 1
  ) last
  WHERE counts.organization_id = $1 AND counts.job_id = ANY($2)
  GROUP BY counts.job_id, last.id, last.created_at`;

/** Returns one row if a run that the schedule of the job started has not ended. `$1` organization, `$2` job. */
export const FIND_OPEN_SCHEDULED_RUN: PreparedStatement = {
  name: 'execution.find_open_scheduled_run',
  text: `SELECT 1 AS one FROM executions WHERE organization_id = $1 AND job_id = $2
    AND trigger_type = 'cron' AND ${IS_OPEN} LIMIT 1`,
};
