/**
 * Returns the `PolicyText` of each id, without texts if those of the enabled policies together exceed `$3` bytes. `$1`
 * organization, `$2` ids.
 */
export const FIND_POLICY_TEXTS = `
  SELECT id, name, version, enabled,
    CASE WHEN sum(octet_length(policy_content)) FILTER (WHERE enabled) OVER () <= $3 THEN policy_content END
      AS policy_content
  FROM policies WHERE organization_id = $1 AND id = ANY($2)`;
