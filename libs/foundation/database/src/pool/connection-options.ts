import type { DatabaseConfig } from '@app/config';
import { configOf } from '@app/postgres';
import type { PoolConfig } from 'pg';
import type { ServerAccess } from './database-servers.js';
import { ResilientClient, type ResilientClientConfig } from './resilient-client.js';

/** The configuration of a pool, in addition to that of the driver. */
export interface ConnectionOptions extends PoolConfig, ResilientClientConfig {
  /** False: statements with a name are not prepared under it. */
  readonly preparesStatements: boolean;
  /** Statements at the begin of each transaction, if the connection cannot have its own settings. */
  readonly beginWith: string | undefined;
}

/** Number of unanswered keepalives after which PostgreSQL considers the client dead. */
const LOST_KEEPALIVES = 3;
const KEEPALIVE_INTERVAL_SECONDS = 5;
/** More than PgBouncer lets such a request wait (`cancel_wait_timeout`, 10 s), see `requestCancel`. */
const POOLER_CANCEL_TIMEOUT_MS = 15_000;

/**
 * Returns the options of connections on which a statement may take `statementTimeoutMs`; 0: no time limits at all.
 *
 * A pooler rejects startup parameters, and gives each transaction the connection of another client, whose settings would
 * change with `SET`. Transactions therefore begin with `SET LOCAL`, and a single statement that takes too long is
 * cancelled by this process, a little later than the server would: a request that follows the end of the statement could
 * cancel the next one.
 */
export function connectionOptions(
  config: DatabaseConfig,
  { servers, isPooled, preparesStatements }: ServerAccess,
  statementTimeoutMs: number,
): ConnectionOptions {
  const limits = timeLimits(config, statementTimeoutMs);
  const { responseGraceMs: grace } = config;
  return {
    ...configOf(servers.address),
    Client: ResilientClient,
    connectionTimeoutMillis: 5000,
    application_name: 'agent-platform',
    // Queries are sent without waiting for the response to the previous one, see `TurnReads`.
    pipeline: true,
    servers,
    preparesStatements,
    beginWith: isPooled ? setLocal(limits) : undefined,
    ...(isPooled ? { cancelTimeoutMs: POOLER_CANCEL_TIMEOUT_MS } : {}),
    ...keepalive(config, isPooled),
    ...(isPooled ? {} : limits),
    ...(statementTimeoutMs === 0 ? {} : { responseTimeoutMs: statementTimeoutMs + grace }),
    ...(statementTimeoutMs === 0 || !isPooled ? {} : { cancelAfterMs: statementTimeoutMs + grace / 10 }),
  };
}

/**
 * Returns the options of connections without time limits, which must not lead to a pooler. As startup options, because
 * the driver omits limits of 0, and the role or the database may have others.
 */
export function unlimitedOptions(config: DatabaseConfig, access: ServerAccess): ConnectionOptions {
  const options = connectionOptions({ ...config, idleTransactionTimeoutMs: 0 }, access, 0);
  const limits = '-c statement_timeout=0 -c idle_in_transaction_session_timeout=0';
  return { ...options, options: [options.options, limits].filter(Boolean).join(' ') };
}

/**
 * Lets both ends detect that the other one has disappeared: otherwise sessions of dead processes stay open, and
 * connections to dead servers. The server behind a pooler does not see when a client disappears.
 */
function keepalive({ keepaliveSeconds: idle }: DatabaseConfig, isPooled: boolean): PoolConfig {
  if (idle === 0) return {};
  const client = { keepAlive: true, keepAliveInitialDelayMillis: idle * 1000 };
  if (isPooled) return client;
  const dead = idle + LOST_KEEPALIVES * KEEPALIVE_INTERVAL_SECONDS;
  const server = {
    tcp_keepalives_idle: idle,
    tcp_keepalives_interval: KEEPALIVE_INTERVAL_SECONDS,
    tcp_keepalives_count: LOST_KEEPALIVES,
    // The system sends no keepalives while it waits for the acknowledgement of data.
    tcp_user_timeout: dead * 1000,
  };
  const options = Object.entries(server).map(([name, value]) => `-c ${name}=${value}`);
  return { ...client, options: options.join(' ') };
}

interface TimeLimits {
  readonly statement_timeout?: number;
  readonly idle_in_transaction_session_timeout?: number;
}

/** The limits that the server applies. Without one, that of the role or the database applies. */
function timeLimits({ idleTransactionTimeoutMs: idle }: DatabaseConfig, statementTimeoutMs: number): TimeLimits {
  return {
    ...(idle === 0 ? {} : { idle_in_transaction_session_timeout: idle }),
    ...(statementTimeoutMs === 0 ? {} : { statement_timeout: statementTimeoutMs }),
  };
}

function setLocal(limits: TimeLimits): string {
  return Object.entries(limits)
    .map(([name, value]) => `SET LOCAL ${name} = ${value}`)
    .join('; ');
}
