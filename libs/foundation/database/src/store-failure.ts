import { driverErrorOf } from './postgres-errors.js';

/**
 * Returns whether PostgreSQL or Redis was unreachable or unable to serve any client, so that the same request may
 * succeed later.
 */
export function isStoreUnavailable(error: unknown): boolean {
  const cause = driverErrorOf(error);
  if (!(cause instanceof Error)) return false;
  const { code = '' } = cause as { readonly code?: string };
  return (
    STORE_FAILURES.test(code) ||
    NETWORK_CODES.has(code) ||
    REDIS_UNREACHABLE.test(`${cause.name} ${cause.message}`) ||
    REDIS_FULL.test(cause.message) ||
    REDIS_FAILOVER.test(cause.message) ||
    /connection terminated|timeout exceeded when trying to connect|^timeout expired$|is not queryable$/i.test(
      cause.message,
    )
  );
}

/**
 * Failed connections; class 53: insufficient memory, disk space or connections; class 58: errors of the operating
 * system; 57P0x: the server shuts down or ends the session; 25006: the server became read-only, such as after a
 * failover.
 */
const STORE_FAILURES = /^(08|53|58|57P0[1-5]|25006)/;
const NETWORK_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EPIPE', 'ENOTFOUND']);
const REDIS_UNREACHABLE = /MaxRetriesPerRequest|Connection is closed|Command timed out|ClusterAllFailed/;
/** The errors of Redis for full memory or a full disk, including those inside a script. */
const REDIS_FULL = /^(ERR .*: )?-?(OOM|MISCONF) /s;
/** While a primary is replaced, or the slots of a cluster move. */
const REDIS_FAILOVER =
  /^(ERR .*: )?-?(READONLY|LOADING|MASTERDOWN|NOREPLICAS|CLUSTERDOWN|MOVED|ASK|TRYAGAIN) |^Too many Cluster redirections|^None of startup nodes|^Failed to refresh slots cache|^All sentinels are unreachable/s;
