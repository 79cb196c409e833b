/**
 * Acquires a lock until the transaction ends. It serializes the changes that can remove the last admin of an
 * organization: otherwise, of two concurrent suspensions, revocations or rotations, each would count the admin that the
 * other removes. `$1` organization.
 */
export const LOCK_ADMINS = `SELECT pg_advisory_xact_lock(hashtextextended('admins:' || $1, 0))`;
