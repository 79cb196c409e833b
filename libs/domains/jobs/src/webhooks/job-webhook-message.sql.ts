import type { PreparedStatement } from '@app/database';

/**
 * Returns one row if the message id is new to the job, otherwise none; deletes the job's expired ids. A concurrent call
 * with the same id waits for the first one to commit. `$1` job, `$2` message id, `$3` now, `$4` oldest time to keep.
 */
export const RECORD_JOB_WEBHOOK_MESSAGE: PreparedStatement = {
  name: 'job_webhook_messages.record',
  text: `WITH expired AS (DELETE FROM job_webhook_messages WHERE job_id = $1 AND received_at < $4)
    INSERT INTO job_webhook_messages (job_id, message_id, received_at) VALUES ($1, $2, $3)
    ON CONFLICT (job_id, message_id) DO NOTHING RETURNING 1 AS recorded`,
};

/** Deletes expired ids. `$1` oldest time to keep, `$2` limit. */
export const PRUNE_JOB_WEBHOOK_MESSAGES = `
  DELETE FROM job_webhook_messages WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM job_webhook_messages WHERE received_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED
  )) RETURNING 1 AS one`;
