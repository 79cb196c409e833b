import type { PreparedStatement } from '@app/database';

/** Returns the number of members of each project by kind. `$1` organization, `$2` ids of projects. */
export const COUNT_MEMBERS = `
  SELECT project_id, kind, count(*)::int AS members FROM project_members
  WHERE organization_id = $1 AND project_id = ANY($2::text[]) GROUP BY project_id, kind`;

/**
 * The projects `p` of runnables, those of the first runnable first, and for each runnable in the order in which it was
 * added to them.
 */
const PROJECTS_OF_RUNNABLES = `
  FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS runnable (kind, id, position)
  JOIN project_members m ON m.organization_id = $1 AND m.kind = runnable.kind AND m.entity_id = runnable.id
  JOIN projects p ON p.id = m.project_id`;
const IN_ORDER = 'ORDER BY runnable.position, m.added_at, m.id';

/**
 * Returns the `ProjectSummary` of each project of the runnables with kind and id of the runnable. `$1` organization, `$2` and
 * `$3` kinds and ids of runnables in pairs.
 */
export const FIND_PROJECTS_OF: PreparedStatement = {
  name: 'projects.find_projects_of',
  text: `SELECT m.kind, m.entity_id, p.id, p.name, p.key, p.status ${PROJECTS_OF_RUNNABLES} ${IN_ORDER}`,
};

/**
 * Returns a `ProjectRestriction` for each project with restricted environments. Part of every start. Parameters as
 * in `FIND_PROJECTS_OF`.
 */
export const FIND_RESTRICTIONS: PreparedStatement = {
  name: 'projects.find_restrictions',
  text: `
  SELECT p.settings->'environment_ids' AS environment_ids
  ${PROJECTS_OF_RUNNABLES} WHERE p.restrict_to_environment ${IN_ORDER}`,
};

/**
 * Returns, for each project of the organization that restricts environments, the `ProjectRestriction` and its members
 * as pairs of kind and id. `$1` organization.
 */
export const FIND_RESTRICTED_MEMBERS: PreparedStatement = {
  name: 'projects.find_restricted_members',
  text: `
  SELECT p.settings->'environment_ids' AS environment_ids, m.kind, m.entity_id
  FROM projects p JOIN project_members m ON m.organization_id = $1 AND m.project_id = p.id
  WHERE p.organization_id = $1 AND p.restrict_to_environment`,
};

/**
 * Returns a `ProjectLayer` for each project and runnable, with kind and id of the runnable. Part of every lease.
 * Parameters as in `FIND_PROJECTS_OF`.
 */
export const FIND_LAYERS: PreparedStatement = {
  name: 'projects.find_layers',
  text: `
  SELECT m.kind, m.entity_id, p.id, p.default_model, p.settings->'execution_environment' AS execution_environment
  ${PROJECTS_OF_RUNNABLES} ${IN_ORDER}`,
};

/**
 * Returns the `ProjectPolicies` of each project with policies, for each runnable. Parameters as in `FIND_PROJECTS_OF`.
 */
export const FIND_POLICIES: PreparedStatement = {
  name: 'projects.find_policies',
  text: `SELECT p.id, p.policy_ids ${PROJECTS_OF_RUNNABLES} WHERE p.policy_ids <> '{}' ${IN_ORDER}`,
};

/**
 * Returns in `may_apply` whether a project with policies has a member of these kinds, or the given runnable as a
 * member. Part of every start. `$1` organization, `$2` kinds, `$3` and `$4` kind and id of the runnable.
 */
export const MAY_APPLY: PreparedStatement = {
  name: 'projects.policies_may_apply',
  text: `
  SELECT EXISTS (
    SELECT 1 FROM projects p JOIN project_members m ON m.project_id = p.id
    WHERE p.organization_id = $1 AND p.policy_ids <> '{}'
      AND (m.kind = ANY($2::text[]) OR m.kind = $3 AND m.entity_id = $4)
  ) AS may_apply`,
};

/** Returns the kind and id of each member of a project. `$1` organization, `$2` project. */
export const FIND_MEMBER_REFS: PreparedStatement = {
  name: 'projects.find_member_refs',
  text: 'SELECT kind, entity_id AS id FROM project_members WHERE organization_id = $1 AND project_id = $2',
};

/** Returns the keys of projects that name the policy, in alphabetical order. `$1` organization, `$2` policy, `$3` limit. */
export const FIND_WITH_POLICY = `
  SELECT id, key, name FROM projects WHERE organization_id = $1 AND policy_ids <> '{}' AND $2 = ANY(policy_ids)
  ORDER BY key LIMIT $3`;
