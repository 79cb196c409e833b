/**
 * Serializes the suspensions of an organization until the transaction ends: two admins who suspend themselves at the same
 * time would each count the other. `$1` organization.
 */
export const LOCK_SUSPENSIONS = `SELECT pg_advisory_xact_lock(hashtextextended('suspensions:' || $1, 0))`;
