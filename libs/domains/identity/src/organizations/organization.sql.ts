/** Acquires the lock with which one process creates the first organization, until its transaction ends. */
export const LOCK_BOOTSTRAP = `SELECT pg_advisory_xact_lock(hashtextextended('bootstrap', 0))`;
