import type { PreparedStatement } from '@app/database';

/** Returns in `present` whether the organization has enabled policies. Part of every start. `$1` organization. */
export const HAS_POLICIES: PreparedStatement = {
  name: 'policies.any',
  text: 'SELECT EXISTS (SELECT 1 FROM policies WHERE organization_id = $1 AND enabled) AS present',
};

/**
 * Returns in `may_apply` whether the organization has an enabled association with any entity of the types, or with the
 * given entity. Each subquery uses the index that starts with organization, type and entity. `$1` organization, `$2`
 * types, `$3` and `$4` type and id of the entity.
 */
export const MAY_APPLY: PreparedStatement = {
  name: 'policies.may_apply',
  text: `
  SELECT EXISTS (SELECT 1 FROM policy_associations
                 WHERE organization_id = $1 AND entity_type = ANY($2::text[]) AND enabled)
    OR EXISTS (SELECT 1 FROM policy_associations
               WHERE organization_id = $1 AND entity_type = $3 AND entity_id = $4 AND enabled) AS may_apply`,
};
