const FIELDS = `id, value, label, provider, model_type, logo, description, enabled, recommended, compatible_runtimes,
  capabilities, pricing, display_order, created_at, updated_at`;

/** `$1` organization. */
const STORED = `SELECT ${FIELDS}, 'stored' AS source FROM models WHERE organization_id = $1`;

/**
 * The models of the gateway, except for those whose value the organization has stored. `$1` organization, `$2` gateway
 * or null.
 */
const LISTED = `
  SELECT id, value, label, provider, model_type, NULL::text AS logo, description, true AS enabled, recommended,
    compatible_runtimes, capabilities, pricing, display_order, created_at, updated_at, 'gateway' AS source
  FROM gateway_models listed
  WHERE gateway = $2
    AND NOT EXISTS (SELECT FROM models WHERE organization_id = $1 AND models.value = listed.value)`;

/** `$3` provider, `$4` type, `$5` runtime, `$6` enabled, `$7` recommended; null matches every model. */
const MATCHING = `($3::text IS NULL OR provider = $3) AND ($4::text IS NULL OR model_type = $4)
  AND ($5::text IS NULL OR $5 = ANY(compatible_runtimes)) AND ($6::boolean IS NULL OR enabled = $6)
  AND ($7::boolean IS NULL OR recommended = $7)`;

/** The id makes the order total, so that pages never overlap. */
const ORDER = 'display_order, created_at DESC, id DESC';

/**
 * Condition: rows after a position in `ORDER`: `$10` display_order, `$11` created_at, `$12` id; null for the first
 * page.
 */
const AFTER = `($10::integer IS NULL OR (display_order >= $10 AND (display_order > $10
  OR created_at < $11::timestamptz OR (created_at = $11::timestamptz AND id < $12::text))))`;

/**
 * Returns a page of the stored models and those of the gateway, in one order, with `page_more`: whether rows follow. `$8`
 * skip, `$9` limit.
 */
export const LIST_MODELS = `
  SELECT *, count(*) OVER () > $9::bigint AS page_more FROM (
    SELECT * FROM (
      (SELECT * FROM (${STORED}) stored WHERE ${MATCHING} AND ${AFTER}
        ORDER BY ${ORDER} LIMIT $8::bigint + $9::bigint + 1)
      UNION ALL
      SELECT * FROM (${LISTED}) listed WHERE ${MATCHING} AND ${AFTER}
    ) models
    ORDER BY ${ORDER} LIMIT $9::bigint + 1 OFFSET $8::bigint
  ) following
  ORDER BY ${ORDER} LIMIT $9::bigint`;

/** Returns the number of rows of `LIST_MODELS` without a page, as `total`. */
export const COUNT_MODELS = `
  SELECT ((SELECT count(*) FROM (${STORED}) stored WHERE ${MATCHING})
    + (SELECT count(*) FROM (${LISTED}) listed WHERE ${MATCHING}))::integer AS total`;

/**
 * The model with an id or value: the stored one with the id, the stored one with the value, the one of the gateway. If
 * the id is that of a gateway's model whose value is stored, this is the stored model. `$1` organization, `$2` gateway or
 * null.
 */
function namedModel(word: string): string {
  return `
  SELECT * FROM (
    ${STORED} AND (id = ${word} OR value = ${word}
      OR value = (SELECT value FROM gateway_models WHERE gateway = $2 AND id = ${word}))
    UNION ALL
    SELECT * FROM (${LISTED}) listed WHERE id = ${word} OR value = ${word}
  ) models
  ORDER BY source = 'gateway', id <> ${word}, value <> ${word} LIMIT 1`;
}

/** Returns the model with an id or value. `$1` organization, `$2` gateway or null, `$3` id or value. */
export const FIND_MODEL = { name: 'models.find', text: namedModel('$3') };

/**
 * Returns each existing model with the requested id or value as `word`. Part of every lease. `$1` organization, `$2`
 * gateway or null, `$3` ids or values.
 */
export const FIND_NAMED_MODELS = {
  name: 'models.find_named',
  text: `
  SELECT asked.word, named.* FROM unnest($3::text[]) AS asked (word) CROSS JOIN LATERAL (${namedModel('asked.word')}) named`,
};

/** Returns a row if the gateway lists the value. `$1` gateway or null, `$2` value. */
export const IS_LISTED = 'SELECT 1 AS listed FROM gateway_models WHERE gateway = $1 AND value = $2';

/**
 * Returns the first enabled model, in this order: models that the gateway recommends, stored recommended ones, others,
 * embedding models. `$1` organization, `$2` gateway or null.
 */
export const FIND_PREFERRED_MODEL = {
  name: 'models.preferred',
  text: `
  SELECT * FROM (${STORED} UNION ALL ${LISTED}) models WHERE enabled
  ORDER BY model_type = 'embedding', NOT recommended, recommended AND source = 'stored', ${ORDER} LIMIT 1`,
};

/** Returns the distinct providers, in no order. `$1` organization, `$2` gateway or null. */
export const LIST_PROVIDERS = `SELECT provider FROM (${STORED}) stored UNION SELECT provider FROM (${LISTED}) listed`;
