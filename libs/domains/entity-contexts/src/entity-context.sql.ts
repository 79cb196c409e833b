import type { PreparedStatement } from '@app/database';

/** Returns the stored contexts of the entities. `$1` organization, `$2` and `$3` types and ids of the entities in pairs. */
export const FIND_CONTEXTS: PreparedStatement = {
  name: 'contexts.find',
  text: `
  SELECT entity_type, entity_id, knowledge_uuids, resource_ids, policy_ids FROM entity_contexts
  WHERE organization_id = $1 AND (entity_type, entity_id) IN (SELECT * FROM unnest($2::text[], $3::text[]))`,
};

/**
 * Returns whether the organization has contexts, and whether it has contexts with policies. Part of every start and
 * lease. `$1` organization.
 */
export const HAS_CONTEXTS: PreparedStatement = {
  name: 'contexts.any',
  text: `
  SELECT EXISTS (SELECT 1 FROM entity_contexts WHERE organization_id = $1) AS present,
    EXISTS (SELECT 1 FROM entity_contexts WHERE organization_id = $1 AND policy_ids <> '{}') AS with_policies`,
};

/** Returns the entities whose contexts name a policy. `$1` organization, `$2` policy, `$3` limit. */
export const FIND_CONTEXTS_WITH_POLICY = `
  SELECT entity_type, entity_id FROM entity_contexts
  WHERE organization_id = $1 AND policy_ids <> '{}' AND $2 = ANY(policy_ids)
  ORDER BY entity_type, entity_id LIMIT $3`;

/**
 * Sets the context of an entity and returns it. A list that is null is not changed; in a new context, it is empty. `$1`
 * to `$3` organization, type and id of the entity, `$4` to `$6` the lists, `$7` time.
 */
export const PUT_CONTEXT = `
  INSERT INTO entity_contexts AS stored
    (organization_id, entity_type, entity_id, knowledge_uuids, resource_ids, policy_ids, created_at, updated_at)
  VALUES ($1, $2, $3, coalesce($4::text[], '{}'), coalesce($5::text[], '{}'), coalesce($6::text[], '{}'), $7, $7)
  ON CONFLICT (organization_id, entity_type, entity_id) DO UPDATE SET
    knowledge_uuids = coalesce($4::text[], stored.knowledge_uuids),
    resource_ids = coalesce($5::text[], stored.resource_ids),
    policy_ids = coalesce($6::text[], stored.policy_ids),
    updated_at = EXCLUDED.updated_at
  RETURNING *`;
