import { DATABASE_NOW } from '@app/database';

const seconds = (parameter: string): string => `make_interval(secs => ${parameter}::double precision)`;

/**
 * Returns the state of a catalogue: whether its rows may be listed, their age in seconds (null before the first success),
 * whether a refresh is due. `$1` gateway, `$2` seconds for which a failing gateway is still listed.
 */
export const FIND_CATALOGUE = {
  name: 'models.catalogue',
  text: `
  SELECT fetched_at IS NOT NULL AND (failing_since IS NULL OR failing_since + ${seconds('$2')} > ${DATABASE_NOW}) AS listed,
    floor(extract(epoch FROM ${DATABASE_NOW} - fetched_at))::integer AS age_seconds,
    due_at <= ${DATABASE_NOW} AND claimed_until <= ${DATABASE_NOW} AS due
  FROM model_catalogues WHERE gateway = $1`,
};

/**
 * Reserves the next refresh, so that one process at a time sends requests to the gateway. Returns a row if it is due
 * and not reserved. `$1` gateway, `$2` claim, `$3` seconds of the reservation, `$4` whether a refresh after a failure
 * may begin before it is due.
 */
export const CLAIM_REFRESH = `
  INSERT INTO model_catalogues AS catalogue (gateway, claim, claimed_until, due_at, failures)
  VALUES ($1, $2, ${DATABASE_NOW} + ${seconds('$3')}, ${DATABASE_NOW}, 0)
  ON CONFLICT (gateway) DO UPDATE SET claim = excluded.claim, claimed_until = excluded.claimed_until
  WHERE catalogue.claimed_until <= ${DATABASE_NOW}
    AND (catalogue.due_at <= ${DATABASE_NOW} OR ($4 AND catalogue.failures > 0))
  RETURNING gateway`;

/**
 * Records a successful refresh and returns a row, unless another refresh was claimed meanwhile. `$1` gateway, `$2`
 * claim, `$3` seconds until the next refresh.
 */
export const RECORD_SUCCESS = `
  UPDATE model_catalogues SET claimed_until = ${DATABASE_NOW}, due_at = ${DATABASE_NOW} + ${seconds('$3')},
    fetched_at = ${DATABASE_NOW}, failing_since = NULL, failures = 0
  WHERE gateway = $1 AND claim = $2
  RETURNING gateway`;

/**
 * The circuit breaker of the gateway, shared by all processes: after a failure, no process sends requests for `$3`
 * seconds, and for twice as long after each further failure, up to `$4` seconds. Then one process tries again. Returns
 * the number of consecutive failures. `$1` gateway, `$2` claim.
 */
export const RECORD_FAILURE = `
  UPDATE model_catalogues SET claimed_until = ${DATABASE_NOW}, failures = least(failures + 1, 1000000),
    failing_since = coalesce(failing_since, ${DATABASE_NOW}),
    due_at = ${DATABASE_NOW} + ${seconds('least($4, $3 * power(2, least(failures, 20)))')}
  WHERE gateway = $1 AND claim = $2
  RETURNING failures`;

/** The columns of `gateway_models` that the gateway fills, with their types. */
const COLUMNS = {
  value: 'text',
  id: 'text',
  label: 'text',
  provider: 'text',
  model_type: 'text',
  description: 'text',
  recommended: 'boolean',
  compatible_runtimes: 'text[]',
  capabilities: 'json',
  pricing: 'json',
  display_order: 'integer',
};
const columns = Object.entries(COLUMNS);
const listOf = (expression: (name: string, type: string) => string): string =>
  columns.map(([name, type]) => expression(name, type)).join(', ');
const NAMES = listOf((name) => name);
/**
 * The values whose change counts as a change of the model; its position is not one of them. JSON is compared as text,
 * because `json` has no equality and keeps its text unchanged.
 */
const contentOf = (row: string): string =>
  columns
    .filter(([name]) => name !== 'display_order')
    .map(([name, type]) => (type === 'json' ? `${row}.${name}::text` : `${row}.${name}`))
    .join(', ');

/** Makes the rows of a gateway equal to a list. `$1` gateway, `$2` the list as JSON. */
export const REPLACE_GATEWAY_MODELS = `
  WITH listed AS (
    SELECT * FROM json_to_recordset($2::json) AS entry (${listOf((name, type) => `${name} ${type}`)})
  ),
  removed AS (DELETE FROM gateway_models WHERE gateway = $1 AND value NOT IN (SELECT value FROM listed))
  INSERT INTO gateway_models AS model (gateway, ${NAMES}, created_at, updated_at)
  SELECT $1, ${NAMES}, ${DATABASE_NOW}, ${DATABASE_NOW} FROM listed
  ON CONFLICT (gateway, value) DO UPDATE SET ${listOf((name) => `${name} = excluded.${name}`)},
    updated_at = CASE WHEN (${contentOf('model')}) IS DISTINCT FROM (${contentOf('excluded')})
      THEN excluded.updated_at ELSE model.updated_at END
  WHERE (${contentOf('model')}, model.display_order) IS DISTINCT FROM (${contentOf('excluded')}, excluded.display_order)`;

/** Deletes the catalogues, with their models, of gateways that were not used for `$2` seconds. `$1` the gateway to keep. */
export const DELETE_OLD_CATALOGUES = `
  DELETE FROM model_catalogues WHERE gateway <> $1 AND due_at < ${DATABASE_NOW} - ${seconds('$2')}`;
