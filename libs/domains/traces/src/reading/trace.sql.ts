import { columnsOf } from '@app/database';
import type { PreparedStatement } from '@app/database';
import { TraceEntity } from '../trace.entity.js';

/** The columns of a `Trace`; `day` as text, because the driver converts dates to local time. */
const TRACE = columnsOf(TraceEntity, 'day')
  .map((column) => `traces.${column}`)
  .join(', ');

/** Returns the trace with this `trace_id`. `$1` organization. */
export const FIND_TRACE: PreparedStatement = {
  name: 'traces.find',
  text: `SELECT ${TRACE}, day::text AS day FROM traces WHERE organization_id = $1 AND trace_id = $2`,
};

/** Returns the trace whose row has this `id`. `$1` organization. */
export const FIND_TRACE_BY_ID: PreparedStatement = {
  name: 'traces.find_by_id',
  text: `SELECT ${TRACE}, day::text AS day FROM traces WHERE organization_id = $1 AND id = $2`,
};

const SPAN_COLUMNS = 'id, span_id, parent_span_id, start_time_unix_nano, resource_digest, fields::text AS fields';

/** The condition for the spans of a trace. `$1` organization, `$2` trace, `$3` day of the trace. */
const OF_TRACE = 'organization_id = $1 AND trace_id = $2 AND day = $3';
const ORDER = 'ORDER BY start_time_unix_nano, span_id COLLATE "C"';

/**
 * Returns all spans of a trace, without their resources and in any order: the server would sort such wide rows on disk.
 * Parameters: see `OF_TRACE`.
 */
export const FIND_SPANS = `SELECT ${SPAN_COLUMNS} FROM spans WHERE ${OF_TRACE}`;

/** Returns at most `$4` spans of a trace in their order, after `$5` others. */
export const FIND_FIRST_SPANS = `${FIND_SPANS} ${ORDER} LIMIT $4 OFFSET $5`;

/** Returns at most `$4` spans of a trace after the span with the start `$5` and the id `$6`. */
export const FIND_SPANS_AFTER = `SELECT ${SPAN_COLUMNS} FROM spans
  WHERE ${OF_TRACE} AND (start_time_unix_nano, span_id COLLATE "C") > ($5::bigint, $6) ${ORDER} LIMIT $4`;

/** Returns the span of a trace with the `span_id` `$4`. */
export const FIND_SPAN = `SELECT ${SPAN_COLUMNS} FROM spans WHERE ${OF_TRACE} AND span_id = $4`;

/** Returns the span of a trace whose row has the `id` `$4`. Reads all spans of the trace. */
export const FIND_SPAN_BY_ID = `SELECT ${SPAN_COLUMNS} FROM spans WHERE ${OF_TRACE} AND id = $4`;

/** Returns resources by digest. `$1` organization, `$2` day, `$3` digests. */
export const FIND_RESOURCES = `SELECT digest, service_name, attributes::text FROM span_resources
  WHERE organization_id = $1 AND day = $2 AND digest = ANY($3)`;

/** Returns the first `$5` spans of a trace as `OutlinedSpan`s with a digest instead of the service. `$4` start of the trace. */
export const OUTLINE_SPANS = `
  SELECT span_id, parent_span_id, name, kind, status_code, category, (start_time_unix_nano - $4::bigint)::float8 AS offset_ns,
    (end_time_unix_nano - start_time_unix_nano)::float8 AS duration_ns, event_count AS events, resource_digest,
    CASE WHEN num_nonnulls(model, total_tokens, cost_nanos) > 0 THEN json_build_object(
      'model', model, 'input_tokens', input_tokens, 'output_tokens', output_tokens, 'total_tokens', total_tokens,
      'cost_nanos', cost_nanos) END AS usage
  FROM spans WHERE ${OF_TRACE} ${ORDER} LIMIT $5`;
