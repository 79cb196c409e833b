import type { PreparedStatement } from '@app/database';

/**
 * Returns a key that is not revoked, with its user if the user is not suspended. Part of every request whose key is not
 * in the cache. `$1` hash.
 */
export const FIND_CALLER: PreparedStatement = {
  name: 'api_key_caller',
  text: `
  SELECT keys.id, keys.organization_id, keys.name, keys.scopes, keys.user_id, users.name AS user_name,
    users.email AS user_email, users.avatar_url AS user_avatar, keys.expires_at, keys.superseded_at, keys.rate_limits
  FROM api_keys keys JOIN users ON users.id = keys.user_id
  WHERE keys.hash = $1 AND keys.revoked_at IS NULL AND users.status = 'active'`,
};

/**
 * Deletes keys that were revoked, or whose successor replaced them, before a time, except one. `$1` time, `$2` limit,
 * `$3` hash of the key to keep or null.
 */
export const PRUNE_REVOKED_KEYS = `
  DELETE FROM api_keys WHERE id = ANY (ARRAY(
    SELECT id FROM api_keys WHERE least(revoked_at, superseded_at) < $1 AND hash IS DISTINCT FROM $3 LIMIT $2 FOR UPDATE SKIP LOCKED
  )) RETURNING 1 AS one`;

/** Writes `last_used` at most once a minute, and records that the user has used a key. `$1` key, `$2` time. */
export const RECORD_KEY_USE = `
  WITH used AS (
    UPDATE api_keys SET last_used = $2
    WHERE id = $1 AND (last_used IS NULL OR last_used < $2::timestamptz - interval '1 minute')
    RETURNING user_id
  )
  UPDATE users SET acted = true FROM used WHERE users.id = used.user_id AND NOT users.acted`;

/**
 * Returns whether a key with the scope `admin` works, which means that it is not revoked, not expired and belongs to an
 * active user. A rotated key does not count, because it expires soon and its successor counts instead. `$1`
 * organization, `$2` time.
 */
export const HAS_ADMIN_KEY = `
  SELECT EXISTS (
    SELECT 1 FROM api_keys keys JOIN users ON users.id = keys.user_id
    WHERE keys.organization_id = $1 AND keys.revoked_at IS NULL AND keys.superseded_at IS NULL
      AND coalesce(keys.expires_at, 'infinity') > $2
      AND 'admin' = ANY (keys.scopes) AND users.status = 'active'
  ) AS found`;

/**
 * Deletes the revoked keys of a user, except one. `$1` organization, `$2` user, `$3` hash of the key to keep or null.
 */
export const DELETE_REVOKED_KEYS = `
  DELETE FROM api_keys
  WHERE organization_id = $1 AND user_id = $2 AND revoked_at IS NOT NULL AND hash IS DISTINCT FROM $3`;
