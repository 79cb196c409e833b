import type { PreparedStatement } from '@app/database';
import { ORIGIN_TYPES } from '../policies/policy.types.js';

const IN_ORDER = ORIGIN_TYPES.map((type) => `'${type}'`).join(', ');

/**
 * Returns the enabled policies that have an enabled association with any of the entities, in order of evaluation, each with
 * everything that makes it apply in `sources`: associations and references. Within an entity type, references have the
 * priority 0 and follow associations of that priority. `fits` is whether all rows are within the limits; if not, the texts
 * are null. `$1` organization, `$2` and `$3` types and ids of the entities in pairs, `$4` and `$5` limits on policies and
 * bytes, `$6` to `$8` policies of the references, with types and ids of what refers to them.
 */
export const FIND_APPLIED_POLICIES: PreparedStatement = {
  name: 'policies.find_applied',
  text: `
  WITH associated AS (
    SELECT policy_id, entity_type, entity_id, priority, created_at, 0::bigint AS position, id
    FROM policy_associations
    WHERE organization_id = $1 AND enabled
      AND (entity_type, entity_id) IN (SELECT * FROM unnest($2::text[], $3::text[]))
    UNION ALL
    SELECT policy_id, entity_type, entity_id, 0, NULL, position, NULL
    FROM unnest($6::text[], $7::text[], $8::text[])
      WITH ORDINALITY AS reference (policy_id, entity_type, entity_id, position)
  ), ranked AS (
    SELECT policy_id, json_build_object('entity_type', entity_type, 'entity_id', entity_id) AS source,
      row_number() OVER (
        ORDER BY array_position(ARRAY[${IN_ORDER}], entity_type), priority DESC, created_at, position, id
      ) AS rank
    FROM associated
  ), grouped AS (
    SELECT policy_id, min(rank) AS rank, json_agg(source ORDER BY rank) AS sources FROM ranked GROUP BY policy_id
  ), bounded AS (
    SELECT p.id AS policy_id, p.name AS policy_name, p.version, p.policy_content, grouped.sources, grouped.rank,
      count(*) OVER () <= $4 AND sum(octet_length(p.policy_content)) OVER () <= $5 AS fits
    FROM grouped JOIN policies p ON p.id = grouped.policy_id AND p.organization_id = $1 AND p.enabled
  )
  SELECT policy_id, policy_name, version, CASE WHEN fits THEN policy_content END AS policy_content, sources, fits
  FROM bounded ORDER BY rank LIMIT $4`,
};
