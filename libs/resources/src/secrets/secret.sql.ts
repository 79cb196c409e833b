/** Locks secrets against deletion until the transaction ends and returns their names. `$1` organization, `$2` names. */
export const HOLD_SECRETS =
  'SELECT name FROM secrets WHERE organization_id = $1 AND name = ANY($2) ORDER BY name FOR KEY SHARE';
