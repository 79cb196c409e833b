/** Acquires a lock until the transaction ends; returns false if another transaction holds it. `$1`: text of the lock. */
export const TRY_LOCK = 'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS locked';

/**
 * Returns the stored response of a key. `$1`: organization, `$2`: key, `$3`: the creation time of the oldest response
 * that has not expired.
 */
export const FIND = {
  name: 'idempotency.find',
  text: `
  SELECT request_digest, status, body, sealed_body FROM idempotency_keys
  WHERE organization_id = $1 AND key = $2 AND created_at >= $3`,
};

/** Stores a response. Replaces an expired row that is not pruned yet. */
export const SAVE = {
  name: 'idempotency.save',
  text: `
  INSERT INTO idempotency_keys (organization_id, key, request_digest, status, body, sealed_body, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (organization_id, key) DO UPDATE
  SET request_digest = excluded.request_digest, status = excluded.status, body = excluded.body,
    sealed_body = excluded.sealed_body, created_at = excluded.created_at`,
};

/**
 * Deletes responses of all organizations from before a time, one row for each. Rows that another dispatcher has locked
 * are skipped. `$1` time, `$2` limit.
 */
export const PRUNE = `
  DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM idempotency_keys WHERE created_at < $1 ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED
  )) RETURNING 1 AS one`;
