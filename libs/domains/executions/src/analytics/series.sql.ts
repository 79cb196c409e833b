import { IS_OPEN } from '../executions/execution-state.sql.js';
import { pointsOf, startOf, SUMMED_POINTS } from './aggregation.sql.js';

const FILTERS = `($7::text IS NULL OR entity_id = $7) AND ($8::text IS NULL OR job_id = $8)
  AND ($9::text IS NULL OR worker_queue_id = $9)`;

/**
 * Returns the `SeriesRow`s of a period: several may have the same bucket. It is one statement and therefore reads one
 * snapshot, in which each execution is either in the aggregates, in the facts that are not aggregated yet, or open.
 * `$1` organization, `$2` size of the buckets that are read in seconds, `$3` beginning and `$4` end of the period, both
 * at the start of a bucket, `$5` size of the buckets that are returned, `$6` the columns over which the aggregates are
 * summed (`rolled_up`), `$7` entity, `$8` job, `$9` queue (null: all).
 */
export const FIND_SERIES = `
  WITH recent AS (
    SELECT sign, status, started_at, completed_at, wait_ms, run_ms FROM execution_facts
    WHERE organization_id = $1 AND ${FILTERS}
    UNION ALL
    SELECT 1, status, started_at, NULL, greatest(0, extract(epoch FROM started_at - created_at) * 1000), NULL
    FROM executions
    WHERE organization_id = $1 AND ${IS_OPEN}
      AND started_at >= $3 AND started_at < $4 AND ${FILTERS}
  ), points AS (${pointsOf('recent', '')})
  SELECT start, ${SUMMED_POINTS} FROM (
    SELECT ${startOf('points.at', '$5::integer')} AS start, what, bucket, sum(sign) AS n
    FROM points WHERE points.at >= $3 AND points.at < $4 GROUP BY 1, 2, 3 HAVING sum(sign) <> 0
  ) summed GROUP BY start
  UNION ALL
  SELECT ${startOf('series.at', '$5::integer')}, started, completed, failed, cancelled, terminated, wait, run
  FROM execution_series series
  WHERE organization_id = $1 AND seconds = $2 AND rolled_up = $6 AND entity_id = coalesce($7, '')
    AND job_id = coalesce($8, '') AND worker_queue_id = coalesce($9, '') AND at >= $3 AND at < $4`;
