/**
 * Serializes what can take away the last admin of an organization until the transaction ends: two transactions that suspend,
 * revoke or rotate at the same time would each count the other's admin. `$1` organization.
 */
export const LOCK_ADMINS = `SELECT pg_advisory_xact_lock(hashtextextended('admins:' || $1, 0))`;
