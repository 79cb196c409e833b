import { GROWTH } from './histogram.js';

/** The sizes of buckets of `execution_series`, in seconds. */
export const SERIES_LEVELS = [60, 900, 21_600] as const;

/** The sizes of buckets of `usage_totals` and `record_totals`, in seconds: an hour, a day, 30 days. */
export const USAGE_LEVELS = [3600, 86_400, 2_592_000] as const;

const NAMES_SECONDS = 2_592_000;

/**
 * Maximum number of names of each kind (agents, teams, models, statuses of tasks) that have their own groups in the
 * aggregates of an organization in 30 days: those that it uses first. Clients choose names, and a summary reads more
 * rows with each name.
 */
export const MAX_NAMES = 1000;

/** The start of the 30 days whose names apply to a time. */
export function namesAt(at: string): string {
  return startOf(at, String(NAMES_SECONDS));
}

/** The sizes of buckets of `execution_totals`, in seconds: an hour and a day. */
export const TOTALS_LEVELS = [3600, 86_400] as const;

/**
 * Returns an expression for the bucket of a duration in milliseconds: 0 below 1 ms, otherwise the `n` with `GROWTH ^ (n
 * - 1)` <= duration < `GROWTH ^ n`.
 */
function bucketOf(ms: string): string {
  return `CASE WHEN ${ms} < 1 THEN 0 ELSE 1 + floor(ln(${ms}) / ln(${GROWTH}::double precision))::integer END`;
}

/** Returns an expression for the start of the bucket of a time. */
export function startOf(at: string, seconds: string): string {
  return `to_timestamp(floor(extract(epoch FROM ${at}) / ${seconds}) * ${seconds})`;
}

const values = (levels: readonly number[]): string => levels.map((seconds) => `(${seconds})`).join(', ');

/**
 * Returns a query for the points that each fact of `source` adds to the series, at its start and at its end. `what` is
 * `started`, a final status, or a histogram (`wait` or `run`, with its `bucket`). `also`: further columns of the
 * source.
 */
export function pointsOf(source: string, also: string): string {
  const point = (at: string, what: string, bucket: string, condition: string): string =>
    `SELECT ${also}sign, ${at} AS at, ${what} AS what, ${bucket} AS bucket FROM ${source} WHERE ${condition}`;
  return [
    point('started_at', `'started'`, 'NULL::integer', 'started_at IS NOT NULL'),
    point('started_at', `'wait'`, bucketOf('wait_ms'), 'started_at IS NOT NULL'),
    point('completed_at', 'status', 'NULL::integer', 'completed_at IS NOT NULL'),
    point('completed_at', `'run'`, bucketOf('run_ms'), 'completed_at IS NOT NULL AND run_ms IS NOT NULL'),
  ].join(' UNION ALL ');
}

const COUNTERS = ['started', 'completed', 'failed', 'cancelled', 'terminated'] as const;

/** The columns of a row of the series, summed over groups of equal points; `n` is the number of points in a group. */
export const SUMMED_POINTS = [
  ...COUNTERS.map((what) => `coalesce(sum(n) FILTER (WHERE what = '${what}'), 0) AS ${what}`),
  ...['wait', 'run'].map(
    (what) => `coalesce(jsonb_object_agg(bucket, n) FILTER (WHERE what = '${what}'), '{}') AS ${what}`,
  ),
].join(', ');

/** The sums over executions that are columns of both usage tables. */
export const USAGE_COLUMNS = ['executions', 'input_tokens', 'output_tokens', 'total_tokens', 'cost_nanos'] as const;

/** The `USAGE_COLUMNS`, summed over facts. */
export const SUMMED_USAGE = [
  'sum(sign) AS executions',
  ...USAGE_COLUMNS.slice(1).map((column) => `coalesce(sum((sign * ${column})::numeric), 0) AS ${column}`),
].join(', ');

function upsert(
  table: string,
  key: string,
  sums: readonly string[],
  histograms: readonly string[],
  rows: string,
): string {
  const sets = [
    ...sums.map((column) => `${column} = t.${column} + excluded.${column}`),
    ...histograms.map(
      (column) =>
        `${column} = CASE WHEN excluded.${column} = '{}' THEN t.${column} ELSE add_counts(t.${column}, excluded.${column}) END`,
    ),
  ];
  return `INSERT INTO ${table} AS t (${key}, ${[...sums, ...histograms].join(', ')})
    SELECT ${key}, ${[...sums, ...histograms].join(', ')} FROM (${rows}) added ORDER BY ${key}
    ON CONFLICT (${key}) DO UPDATE SET ${sets.join(', ')}`;
}

/**
 * Only one process at a time adds facts to the aggregates: two would wait for each other's rows, and admit too many
 * names. The lock is released at the end of the transaction. Until then, PostgreSQL plans no nested loops: it does not
 * know how many rows a batch has, and nested loops over a batch take quadratic time. `$1` table.
 */
export const LOCK_AGGREGATION = `
  SELECT pg_try_advisory_xact_lock(hashtext($1)) AS granted, set_config('enable_nestloop', 'off', true)`;

/**
 * Returns a CTE that deletes the first `$1` rows of the table and returns them as `taken`. Needs `LOCK_AGGREGATION`. The array
 * is evaluated once: in a join, statistics from a time when the table was empty make PostgreSQL choose a plan that
 * selects these rows again for each row of the table.
 */
function take(table: string): string {
  return `taken AS (
    DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM ${table} ORDER BY organization_id, sequence LIMIT $1
    )) RETURNING *
  )`;
}

/**
 * Admits the names of `keyed`, rows with `named_at`, `kind`, `key` and `sequence`, in the order of their use, up
 * to `MAX_NAMES`. `refused` contains those that are not admitted. A name is never removed and never admitted after it
 * was refused, so all facts of an execution count under the same name. Both subqueries read one index entry: `>=` and
 * the order make PostgreSQL use the index by name even without statistics, and the highest number is the number of names.
 */
const ADMISSION = `
  fresh AS (
    SELECT organization_id, named_at, kind, key, min(sequence) AS used FROM keyed
    WHERE key <> '' AND (
      SELECT n.name FROM analytics_names n WHERE (n.organization_id, n.at, n.kind) = (keyed.organization_id, keyed.named_at, keyed.kind)
        AND n.name >= keyed.key ORDER BY n.name LIMIT 1
    ) IS DISTINCT FROM key GROUP BY 1, 2, 3, 4
  ), numbered AS (
    SELECT fresh.*, row_number() OVER (PARTITION BY organization_id, named_at, kind ORDER BY used, key) + coalesce((
      SELECT n.number FROM analytics_names n WHERE (n.organization_id, n.at, n.kind) = (fresh.organization_id, fresh.named_at, fresh.kind)
      ORDER BY n.number DESC LIMIT 1
    ), 0) AS number FROM fresh
  ), admitted AS (
    INSERT INTO analytics_names (organization_id, at, kind, name, number)
    SELECT organization_id, named_at, kind, key, number FROM numbered WHERE number <= ${MAX_NAMES}
  ), refused AS (
    SELECT organization_id, named_at, kind, key, true AS is_refused FROM numbered WHERE number > ${MAX_NAMES}
  )`;

const SERIES_KEY = 'organization_id, seconds, rolled_up, entity_id, job_id, worker_queue_id, at';

/**
 * The series has separate rows for each combination of filters, except for combinations with a value that the fact does
 * not have.
 */
const SERIES_ROWS = `
  SELECT ${SERIES_KEY}, ${SUMMED_POINTS} FROM (
    SELECT organization_id, seconds, GROUPING(entity_id, job_id, worker_queue_id) AS rolled_up,
      coalesce(entity_id, '') AS entity_id, coalesce(job_id, '') AS job_id, coalesce(worker_queue_id, '') AS worker_queue_id,
      ${startOf('points.at', 'seconds')} AS at, what, bucket, sum(sign) AS n
    FROM points CROSS JOIN (VALUES ${values(SERIES_LEVELS)}) level (seconds)
    GROUP BY organization_id, seconds, ${startOf('points.at', 'seconds')}, what, bucket,
      CUBE (entity_id, job_id, worker_queue_id)
    HAVING sum(sign) <> 0 AND (GROUPING(entity_id) = 1 OR entity_id IS NOT NULL)
      AND (GROUPING(job_id) = 1 OR job_id IS NOT NULL) AND (GROUPING(worker_queue_id) = 1 OR worker_queue_id IS NOT NULL)
  ) summed GROUP BY ${SERIES_KEY}`;

/** The groups in which an execution counts, as a lateral join: `all`, its agent or team, and its model. */
export const GROUPS_OF_EXECUTION = `LATERAL (
  VALUES ('all', ''), (execution_type, CASE WHEN execution_type IN ('agent', 'team') THEN entity_id END), ('model', model)
) counted (kind, key)`;

/** Condition: the execution counts in this group of `GROUPS_OF_EXECUTION`. */
export const IS_COUNTED = `(kind = 'all' OR key <> '')`;

const KEYED_FACTS = `
  keyed AS (
    SELECT taken.*, kind, key, ${namesAt('created_at')} AS named_at FROM taken CROSS JOIN ${GROUPS_OF_EXECUTION}
    WHERE ${IS_COUNTED}
  )`;

const USAGE_KEY = 'organization_id, seconds, at, kind, key, status';
const USAGE_ROWS = `
  SELECT organization_id, seconds, ${startOf('created_at', 'seconds')} AS at, kind, key, status, ${SUMMED_USAGE}
  FROM keyed LEFT JOIN refused USING (organization_id, named_at, kind, key)
  CROSS JOIN (VALUES ${values(USAGE_LEVELS)}) level (seconds)
  WHERE is_refused IS NULL GROUP BY 1, 2, 3, 4, 5, 6`;

const TOTALS_KEY = 'organization_id, seconds, at';

/**
 * Returns a query for the rows of `execution_totals` for the facts of `source`, which has a column `at`. `key`: columns
 * of the source by which rows are grouped.
 */
export function totalsOf(source: string, key: string): string {
  return `
    SELECT ${key}, sum(executions) AS executions,
      ${USAGE_COLUMNS.slice(1)
        .map((column) => `sum(${column}) AS ${column}`)
        .join(', ')},
      coalesce(jsonb_object_agg(bucket, executions) FILTER (WHERE bucket IS NOT NULL AND executions <> 0), '{}') AS run
    FROM (
      SELECT ${key}, CASE WHEN completed_at IS NOT NULL AND run_ms IS NOT NULL THEN ${bucketOf('run_ms')} END AS bucket,
        ${SUMMED_USAGE}
      FROM ${source} GROUP BY ${key}, bucket
    ) by_bucket GROUP BY ${key}`;
}

const TOTALS_SOURCE = `(
  SELECT taken.*, seconds, ${startOf('created_at', 'seconds')} AS at
  FROM taken CROSS JOIN (VALUES ${values(TOTALS_LEVELS)}) level (seconds)
) leveled`;

/**
 * Adds facts to the aggregates and deletes them, in one statement: readers therefore see each fact in exactly one of
 * the two places. Returns the number of processed facts. Needs `LOCK_AGGREGATION`. `$1` limit.
 */
export const AGGREGATE_FACTS = `
  WITH ${take('execution_facts')}, ${KEYED_FACTS}, ${ADMISSION}, points AS (${pointsOf('taken', 'organization_id, entity_id, job_id, worker_queue_id, ')}),
  series AS (${upsert('execution_series', SERIES_KEY, COUNTERS, ['wait', 'run'], SERIES_ROWS)}),
  usage AS (${upsert('usage_totals', USAGE_KEY, USAGE_COLUMNS, [], USAGE_ROWS)}),
  totals AS (${upsert('execution_totals', TOTALS_KEY, USAGE_COLUMNS, ['run'], totalsOf(TOTALS_SOURCE, TOTALS_KEY))})
  SELECT count(*)::integer AS processed FROM taken`;

const RECORD_KEY = 'organization_id, seconds, at, kind, status';
const KEYED_RECORDS = `keyed AS (SELECT taken.*, status AS key, ${namesAt('taken.at')} AS named_at FROM taken)`;
const RECORD_ROWS = `
  SELECT organization_id, seconds, ${startOf('keyed.at', 'seconds')} AS at, kind,
    CASE WHEN is_refused THEN '' ELSE status END AS status, sum(records) AS records
  FROM keyed LEFT JOIN refused USING (organization_id, named_at, kind, key)
  CROSS JOIN (VALUES ${values(USAGE_LEVELS)}) level (seconds)
  GROUP BY 1, 2, 3, 4, 5 HAVING sum(records) <> 0`;

/** Adds changes of records to their totals, like `AGGREGATE_FACTS`. `$1` limit. */
export const AGGREGATE_RECORD_CHANGES = `
  WITH ${take('record_changes')}, ${KEYED_RECORDS}, ${ADMISSION}, totals AS (${upsert('record_totals', RECORD_KEY, ['records'], [], RECORD_ROWS)})
  SELECT count(*)::integer AS processed FROM taken`;

/** Deletes the buckets of one size of the series that begin before a time. `$1` seconds, `$2` time, `$3` limit. */
export const PRUNE_SERIES = `
  DELETE FROM execution_series WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM execution_series WHERE seconds = $1 AND at < $2 ORDER BY at LIMIT $3 FOR UPDATE SKIP LOCKED
  )) RETURNING 1 AS one`;

/** Returns failed executions without a cause, which failed before causes were stored. `$1` limit. */
export const FIND_WITHOUT_CAUSE = `
  SELECT organization_id, id, error_message FROM executions WHERE status = 'failed' AND cause IS NULL
  LIMIT $1 FOR UPDATE SKIP LOCKED`;

/** `$1` organizations, `$2` ids, `$3` causes. */
export const SET_CAUSES = `
  UPDATE executions e SET cause = found.cause FROM unnest($1::text[], $2::text[], $3::text[]) AS found (organization_id, id, cause)
  WHERE e.organization_id = found.organization_id AND e.id = found.id`;
