import { columnsOf } from '@app/database';
import { TraceEntity } from '../trace.entity.js';
import { MAX_MODELS } from '../trace.types.js';

/** The columns of a trace with their types, in the order of the parameters of `INSERT_TRACES` and `UPDATE_TRACES`. */
export const TRACE_COLUMNS = columnsOf(TraceEntity);

const TYPES: Readonly<Record<string, string>> = {
  day: 'date',
  named_by_root: 'boolean',
  named_by_start_ns: 'bigint',
  start_ns: 'bigint',
  end_ns: 'bigint',
  duration_ms: 'bigint',
  span_count: 'integer',
  error_count: 'integer',
  open_count: 'integer',
  root_count: 'integer',
  root_error_count: 'integer',
  bytes: 'bigint',
  input_tokens: 'numeric',
  output_tokens: 'numeric',
  total_tokens: 'numeric',
  cost_nanos: 'numeric',
  revision: 'integer',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
  start_time_unix_nano: 'bigint',
  end_time_unix_nano: 'bigint',
  event_count: 'integer',
  fields: 'json',
};

/** Returns a list of rows made from one array per column: `$1` is the array of the first column. */
function rowsOf(columns: readonly string[], alias: string): string {
  const arrays = columns.map((column, index) => `$${index + 1}::${TYPES[column] ?? 'text'}[]`);
  return `unnest(${arrays.join(', ')}) AS ${alias} (${columns.join(', ')})`;
}

/** `unnest` would flatten lists, so they are sent as the texts of arrays. */
const SENT_TRACES = `SELECT ${TRACE_COLUMNS.map((column) => (column === 'models' ? 'models::text[]' : column)).join(', ')}
  FROM ${rowsOf(TRACE_COLUMNS, 'sent')}`;

/**
 * Inserts the traces that do not exist and locks the others until the end of the transaction, in the order of their
 * ids, so that batches with the same traces wait for each other and cannot deadlock. Returns all of them as they are
 * stored, and whether each is new.
 */
export const INSERT_TRACES = `
  INSERT INTO traces (${TRACE_COLUMNS.join(', ')})
  ${SENT_TRACES} ORDER BY trace_id
  ON CONFLICT (organization_id, trace_id) DO UPDATE SET updated_at = EXCLUDED.updated_at
  RETURNING traces.*, traces.day::text AS day, xmax = 0 AS is_new`;

/** The columns that a batch changes. */
const CHANGING = TRACE_COLUMNS.filter(
  (column) => !['organization_id', 'trace_id', 'id', 'day', 'created_at'].includes(column),
);

/**
 * Replaces what a batch changes. The caller has locked the traces, so all of them exist. The form of an insert makes the
 * server look up each by its key, see `FIND_KNOWN_SPANS`.
 */
export const UPDATE_TRACES = `
  INSERT INTO traces (${TRACE_COLUMNS.join(', ')})
  ${SENT_TRACES}
  ON CONFLICT (organization_id, trace_id) DO UPDATE SET ${CHANGING.map((column) => `${column} = EXCLUDED.${column}`).join(', ')}`;

/** What is known of a span that is a request to a model. */
export const USAGE_COLUMNS = ['model', 'input_tokens', 'output_tokens', 'total_tokens', 'cost_nanos'] as const;

export const SPAN_COLUMNS = [
  'day',
  'organization_id',
  'trace_id',
  'span_id',
  'id',
  'parent_span_id',
  'name',
  'kind',
  'category',
  'status_code',
  'start_time_unix_nano',
  'end_time_unix_nano',
  'event_count',
  'resource_digest',
  'bytes',
  'fields',
  ...USAGE_COLUMNS,
] as const;

const KEPT = ['day', 'organization_id', 'trace_id', 'span_id', 'id'];

/** Inserts spans, at most one per id. A span that exists is replaced, but keeps its `id`. */
export const UPSERT_SPANS = `
  INSERT INTO spans (${SPAN_COLUMNS.join(', ')})
  SELECT ${SPAN_COLUMNS.join(', ')} FROM ${rowsOf(SPAN_COLUMNS, 'sent')}
  ON CONFLICT (organization_id, trace_id, span_id, day) DO UPDATE SET ${SPAN_COLUMNS.filter(
    (column) => !KEPT.includes(column),
  )
    .map((column) => `${column} = EXCLUDED.${column}`)
    .join(', ')}`;

/**
 * Returns those of the spans that exist, with the columns that a summary contains. `$1` organization; the other
 * parameters are arrays of equal length: days, traces, spans. The limit makes the server look up each span by its key:
 * without statistics about a new partition it would join by reading all spans of the organization.
 */
export const FIND_KNOWN_SPANS = `
  SELECT known.* FROM unnest($2::date[], $3::text[], $4::text[]) AS sent (day, trace_id, span_id)
  CROSS JOIN LATERAL (
    SELECT trace_id, span_id, parent_span_id, name, status_code, start_time_unix_nano, end_time_unix_nano, bytes,
      resource_digest, ${USAGE_COLUMNS.join(', ')}
    FROM spans WHERE spans.organization_id = $1 AND spans.trace_id = sent.trace_id AND spans.span_id = sent.span_id
      AND spans.day = sent.day
    LIMIT 1
  ) known`;

const SUMS = USAGE_COLUMNS.filter((column) => column !== 'model')
  .map((column) => `sum(${column}) AS ${column}`)
  .join(', ');

/**
 * Returns the summaries of traces, from their spans. `$1` organization; arrays of equal length: `$2` days, `$3` traces.
 */
export const SUMMARIZE_TRACES = `
  SELECT sent.trace_id, named.name, resources.service_name, named.parent_span_id IS NULL AS named_by_root,
    named.start_time_unix_nano AS named_by_start_ns, named.span_id AS named_by_span_id, sums.*,
    ARRAY(
      SELECT DISTINCT model COLLATE "C" FROM spans
      WHERE spans.organization_id = $1 AND spans.trace_id = sent.trace_id AND spans.day = sent.day AND model IS NOT NULL
      ORDER BY 1 LIMIT ${MAX_MODELS}
    ) AS models
  FROM unnest($2::date[], $3::text[]) AS sent (day, trace_id)
  CROSS JOIN LATERAL (
    SELECT name, parent_span_id, start_time_unix_nano, span_id, resource_digest FROM spans
    WHERE spans.organization_id = $1 AND spans.trace_id = sent.trace_id AND spans.day = sent.day
    ORDER BY parent_span_id IS NOT NULL, start_time_unix_nano, span_id COLLATE "C" LIMIT 1
  ) named
  CROSS JOIN LATERAL (
    SELECT min(start_time_unix_nano) AS start_ns, max(end_time_unix_nano) AS end_ns, count(*)::integer AS span_count,
      (count(*) FILTER (WHERE status_code = 'ERROR'))::integer AS error_count,
      (count(*) FILTER (WHERE end_time_unix_nano IS NULL))::integer AS open_count,
      (count(*) FILTER (WHERE parent_span_id IS NULL))::integer AS root_count,
      (count(*) FILTER (WHERE parent_span_id IS NULL AND status_code = 'ERROR'))::integer AS root_error_count,
      sum(bytes)::bigint AS bytes, ${SUMS}
    FROM spans WHERE spans.organization_id = $1 AND spans.trace_id = sent.trace_id AND spans.day = sent.day
  ) sums
  LEFT JOIN span_resources resources
    ON resources.organization_id = $1 AND resources.digest = named.resource_digest AND resources.day = sent.day`;

/** `$1` organization; arrays of equal length: `$2` days, `$3` digests, `$4` services, `$5` attributes. */
export const INSERT_RESOURCES = `
  INSERT INTO span_resources (organization_id, day, digest, service_name, attributes)
  SELECT $1, * FROM unnest($2::date[], $3::text[], $4::text[], $5::json[]) AS sent (day, digest, service_name, attributes)
  ORDER BY day, digest COLLATE "C"
  ON CONFLICT DO NOTHING`;

/** Locks traces until the transaction ends, in the order of `INSERT_TRACES`. `$1` organization, `$2` ids. */
export const LOCK_TRACES = `
  SELECT traces.*, traces.day::text AS day, false AS is_new FROM traces
  WHERE organization_id = $1 AND trace_id = ANY($2) ORDER BY trace_id FOR UPDATE`;

/**
 * Ends the open spans of executions as failed, and returns their traces. `$1` organization, `$2` message; arrays of equal
 * length: `$3` days, `$4` traces, `$5` executions, `$6` ends in nanoseconds. A span ends at the earliest where it starts.
 */
export const CLOSE_SPANS = `
  UPDATE spans SET end_time_unix_nano = open.ended, status_code = 'ERROR', fields = (fields::jsonb || jsonb_build_object(
      'end_time_unix_nano', open.ended,
      'duration_ns', open.ended - spans.start_time_unix_nano,
      'duration_ms', (open.ended - spans.start_time_unix_nano) / 1000000,
      'status_code', 'ERROR',
      'status_message', $2::text
    ))::json
  FROM (
    SELECT found.*, greatest(lost.ended, found.start_time_unix_nano) AS ended
    FROM unnest($3::date[], $4::text[], $5::text[], $6::bigint[]) AS lost (day, trace_id, execution_id, ended)
    CROSS JOIN LATERAL (
      SELECT day, trace_id, span_id, start_time_unix_nano FROM spans s
      WHERE s.organization_id = $1 AND s.trace_id = lost.trace_id AND s.day = lost.day
        AND s.end_time_unix_nano IS NULL AND s.fields->'attributes'->>'execution.id' = lost.execution_id
    ) found
  ) open
  WHERE spans.organization_id = $1 AND spans.trace_id = open.trace_id AND spans.span_id = open.span_id
    AND spans.day = open.day
  RETURNING spans.trace_id`;
