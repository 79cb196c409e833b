import { DATABASE_NOW } from '@app/database';

/** Seconds between two samples. */
export const SAMPLE_SECONDS = 15;

/** The time of a sample. If several dispatchers take the sample of one time, the first one is stored. */
const SLOT = `date_bin('${SAMPLE_SECONDS} seconds', ${DATABASE_NOW}, 'epoch')`;

/**
 * Stores the load of the given queues, a load of zero for other queues that had load in the last minute, and the sum of
 * each organization. `$1` to `$6` lists of the same length: organizations, queues, waiting executions, times since
 * which the oldest one waits, running executions, workers.
 */
export const INSERT_SAMPLES = `
  WITH loaded AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::integer[], $4::timestamptz[], $5::integer[], $6::integer[])
      AS load (organization_id, worker_queue_id, waiting, oldest_waiting_at, running, workers)
  ), ended AS (
    SELECT DISTINCT organization_id, worker_queue_id FROM worker_queue_samples
    WHERE at >= ${SLOT} - interval '${4 * SAMPLE_SECONDS} seconds' AND worker_queue_id <> ''
      AND waiting + running + workers > 0 AND worker_queue_id <> ALL ($2)
  ), sampled AS (
    SELECT * FROM loaded UNION ALL SELECT organization_id, worker_queue_id, 0, NULL, 0, 0 FROM ended
  )
  INSERT INTO worker_queue_samples (organization_id, worker_queue_id, at, waiting, oldest_waiting_at, running, workers)
  SELECT organization_id, coalesce(worker_queue_id, ''), ${SLOT}, sum(waiting), min(oldest_waiting_at), sum(running),
    sum(workers)
  FROM sampled GROUP BY GROUPING SETS ((organization_id, worker_queue_id), (organization_id))
  ON CONFLICT DO NOTHING`;

/**
 * Returns each `LoadBucket` that has samples. `$1` organization, `$2` queue or the empty string, `$3` and `$4`
 * beginning and end, `$5` size of a bucket in seconds.
 */
export const READ_BUCKETS = `
  SELECT date_bin($5::integer * interval '1 second', at, 'epoch') AS at, max(waiting) AS waiting_max,
    coalesce(max(extract(epoch FROM at - oldest_waiting_at)), 0)::double precision AS oldest_wait_seconds_max,
    max(running) AS running_max, min(workers) AS workers_min
  FROM worker_queue_samples WHERE organization_id = $1 AND worker_queue_id = $2 AND at >= $3 AND at < $4 GROUP BY 1`;

/** Deletes samples that are older than a number of days. `$1` days, `$2` limit. */
export const PRUNE_SAMPLES = `
  DELETE FROM worker_queue_samples WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM worker_queue_samples
    WHERE at < ${DATABASE_NOW} - $1::integer * interval '1 day' LIMIT $2 FOR UPDATE SKIP LOCKED
  )) RETURNING 1 AS one`;
