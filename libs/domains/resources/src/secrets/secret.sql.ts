/**
 * Returns the existing secrets among the names and prevents their deletion until the transaction ends. `$1` organization,
 * `$2` names.
 */
export const LOCK_EXISTING_SECRETS =
  'SELECT name FROM secrets WHERE organization_id = $1 AND name = ANY($2) ORDER BY name FOR KEY SHARE';
