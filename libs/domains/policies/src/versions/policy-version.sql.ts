/** Returns the `VersionText` of each pair. `$1` organization, `$2` and `$3` policies and versions in pairs. */
export const FIND_VERSION_TEXTS = `
  SELECT policy_id, version, policy_content FROM policy_versions
  WHERE organization_id = $1 AND (policy_id, version) IN (SELECT * FROM unnest($2::text[], $3::integer[]))`;
