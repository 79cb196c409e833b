import { EnvVar } from './env-var.js';
import {
  address,
  decimal,
  flag,
  headerSecret,
  integer,
  oneOf,
  chosenKey,
  port,
  text,
  trustedProxies,
  webOrigins,
} from './parsers.js';

/** PostgreSQL. The pool size is per process: `max_connections` must cover the sum of all processes. */
export class DatabaseConfig {
  @EnvVar('DATABASE_URL', address(['postgres', 'postgresql']), {
    doc: 'URL of PostgreSQL 15 or newer. If unset, `npm start` runs its own server.',
  })
  readonly url!: string;

  @EnvVar('DATABASE_POOL_SIZE', integer({ min: 2, max: 200 }), {
    default: 16,
    doc: 'Maximum number of PostgreSQL connections per process.',
  })
  readonly poolSize!: number;

  @EnvVar('DATABASE_STATEMENT_TIMEOUT_MS', integer({ min: 0, max: 3_600_000 }), {
    default: 15_000,
    doc: 'Time limit of an SQL statement in milliseconds; 0: none. Does not apply to migrations.',
  })
  readonly statementTimeoutMs!: number;

  @EnvVar('DATABASE_READ_TIMEOUT_MS', integer({ min: 0, max: 3_600_000 }), {
    default: 3000,
    doc: 'Time limit of all SQL statements of one read (GET) together, in milliseconds; 0: only the limit of each statement applies.',
  })
  readonly readTimeoutMs!: number;

  @EnvVar('DATABASE_RESPONSE_GRACE_MS', integer({ min: 100, max: 600_000 }), {
    default: 5000,
    doc:
      'Time in milliseconds, in addition to DATABASE_STATEMENT_TIMEOUT_MS, after which a connection to PostgreSQL that does ' +
      'not respond is closed. Without a statement timeout there is no such limit.',
  })
  readonly responseGraceMs!: number;

  @EnvVar('DATABASE_IDLE_TRANSACTION_TIMEOUT_MS', integer({ min: 0, max: 3_600_000 }), {
    default: 10_000,
    doc:
      'Time after which PostgreSQL ends a transaction whose process sends no further statement, and releases its locks, in ' +
      'milliseconds; 0: none.',
  })
  readonly idleTransactionTimeoutMs!: number;

  @EnvVar('DATABASE_KEEPALIVE_SECONDS', integer({ min: 0, max: 7200 }), {
    default: 10,
    doc:
      'Idle time in seconds after which both ends of a connection to PostgreSQL send TCP keepalives. 0: none. ' +
      'Poolers that reject the startup parameter `options` require 0.',
  })
  readonly keepaliveSeconds!: number;
}

/** Redis, which delivers messages and events. Its data can be lost without losing state. */
export class RedisConfig {
  @EnvVar('REDIS_URL', address(['redis', 'rediss']), {
    doc: 'URL of Redis 6.2 or newer with maxmemory-policy noeviction. If unset, `npm start` runs its own server.',
  })
  readonly url!: string;
}

/** Address and role of a control plane process. */
export class ControlPlaneConfig {
  @EnvVar('CONTROL_PLANE_PORT', port, { default: 3000, doc: 'Port of the control plane.' })
  readonly port!: number;

  @EnvVar('CONTROL_PLANE_HOST', text(), { default: '127.0.0.1', doc: 'Address the control plane listens on.' })
  readonly host!: string;

  @EnvVar('CONTROL_PLANE_METRICS_PORT', port, {
    default: null,
    doc: 'Separate port for `/metrics`, at CONTROL_PLANE_HOST. Default: CONTROL_PLANE_PORT serves `/metrics`.',
  })
  readonly metricsPort!: number | null;

  @EnvVar('CONTROL_PLANE_ROLE', oneOf(['all', 'http', 'dispatcher']), {
    default: 'all',
    doc: 'Role of the process. http: serves requests. dispatcher: runs background work (outbox, recovery, pruning). all: both.',
  })
  readonly role!: 'all' | 'http' | 'dispatcher';

  @EnvVar('PUBLIC_URL', address(['http', 'https']), {
    default: null,
    doc: 'URL under which clients reach the control plane (webhook URLs, worker configuration). Default: its own address.',
  })
  readonly publicUrl!: string | null;

  @EnvVar('PLATFORM_API_URL', address(['http', 'https']), {
    default: null,
    doc: 'URL of the platform API. The control plane reports to clients whether it is set. Default: none.',
  })
  readonly platformApiUrl!: string | null;
}

/** Web pages that may call both APIs. `*` is safe: browsers never add the API key header by themselves. */
export class CrossOriginConfig {
  @EnvVar('CORS_ORIGINS', webOrigins, {
    default: [],
    doc: 'Origins of web pages that may call the APIs, separated by commas (https://app.example.com); *: all. Default: none.',
  })
  readonly origins!: readonly string[];
}

/** Reverse proxies. The limits on failing requests apply to the address of the client, see docs/guides/limits.md. */
export class ProxyConfig {
  @EnvVar('TRUST_PROXY', trustedProxies, {
    default: 0,
    doc:
      'Proxies whose X-Forwarded-For names the client: their number, or a list, separated by commas, of their ' +
      'addresses, networks and the names loopback, linklocal and uniquelocal. Default: 0, the client is the peer of ' +
      'the connection.',
  })
  readonly trusted!: number | readonly string[];
}

/** Address of the platform API. */
export class PlatformApiConfig {
  @EnvVar('PLATFORM_API_PORT', port, { default: 3001, doc: 'Port of the platform API.' })
  readonly port!: number;

  @EnvVar('PLATFORM_API_HOST', text(), { default: '127.0.0.1', doc: 'Address the platform API listens on.' })
  readonly host!: string;

  @EnvVar('PLATFORM_API_METRICS_PORT', port, {
    default: null,
    doc: 'Separate port for `/metrics`, at PLATFORM_API_HOST. Default: PLATFORM_API_PORT serves `/metrics`.',
  })
  readonly metricsPort!: number | null;
}

/** The first admin key. A chosen key is also added to an existing organization. */
export class IdentityConfig {
  @EnvVar('BOOTSTRAP_ADMIN_KEY', chosenKey, {
    default: null,
    doc:
      'Value of the admin key created at the first start (16 to 512 characters). Default: generated and printed once. ' +
      'On existing data, an additional admin key with this value is created.',
  })
  readonly bootstrapAdminKey!: string | null;
}

/** The model gateway. The platform passes these values to workers. Its own requests only read the list of models. */
export class ModelGatewayConfig {
  @EnvVar('LLM_GATEWAY_URL', address(['http', 'https']), {
    default: null,
    doc: 'URL of an OpenAI-compatible gateway, including /v1. If unset, `npm start` runs a development gateway.',
  })
  readonly url!: string | null;

  @EnvVar('LLM_GATEWAY_API_KEY', headerSecret(), { default: null, doc: 'API key of the gateway.' })
  readonly apiKey!: string | null;

  @EnvVar('DEFAULT_MODEL', text(), { default: null, doc: 'Model of agents that do not name one.' })
  readonly defaultModel!: string | null;
}

/** How the models of the gateway are cached. */
export class ModelCatalogueConfig {
  @EnvVar('MODEL_CATALOGUE_REFRESH_SECONDS', integer({ min: 0, max: 86_400 }), {
    default: 300,
    doc: 'Age at which the cached list of the models of the gateway is read again, in seconds. 0: the list is never read.',
  })
  readonly refreshSeconds!: number;

  @EnvVar('MODEL_CATALOGUE_STALE_SECONDS', integer({ min: 0, max: 31_536_000 }), {
    default: 86_400,
    doc: 'Time in seconds for which the cached models of a failing gateway are still listed. After it, only stored models are listed.',
  })
  readonly staleSeconds!: number;
}

/**
 * Lease durations and the interval of recovery. With `leaseHeartbeats` below 1, leases expire between two heartbeats of a
 * healthy worker.
 */
export class DispatchConfig {
  @EnvVar('LEASE_HEARTBEATS', decimal({ min: 0.05, max: 2 }), {
    default: 1.5,
    doc: 'Duration of a lease without renewal, as a multiple of the heartbeat interval of the queue.',
  })
  readonly leaseHeartbeats!: number;

  @EnvVar('LEASE_CONFIRM_MS', integer({ min: 500, max: 600_000 }), {
    default: 30_000,
    doc: 'Time within which a worker must start a leased execution before another worker gets it, in milliseconds.',
  })
  readonly leaseConfirmMs!: number;

  @EnvVar('LEASE_GRACE_MS', integer({ min: 0, max: 600_000 }), {
    default: 15_000,
    doc: 'Time that workers have to send a heartbeat after an outage of the platform before their leases expire, in milliseconds.',
  })
  readonly leaseGraceMs!: number;

  @EnvVar('RECONCILE_INTERVAL_MS', integer({ min: 50, max: 60_000 }), {
    default: 1000,
    doc: 'Interval of the recovery of lost deliveries and expired leases, in milliseconds.',
  })
  readonly reconcileIntervalMs!: number;
}

/** Log level of every process. */
export class LogConfig {
  @EnvVar('LOG_LEVEL', oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']), {
    default: 'info',
    doc: 'Minimum level of logged messages.',
  })
  readonly level!: string;
}

/** Shutdown of a server: it drains, then rejects new requests and exits at most five seconds after the grace period. */
export class ShutdownConfig {
  @EnvVar('SHUTDOWN_GRACE_MS', integer({ min: 0, max: 600_000 }), {
    default: 10_000,
    doc: 'Time for running requests to finish at shutdown, in milliseconds.',
  })
  readonly graceMs!: number;

  @EnvVar('SHUTDOWN_DRAIN_MS', integer({ min: 0, max: 600_000 }), {
    default: 0,
    doc:
      'Time in milliseconds before the grace period of a shutdown, in which the readiness check fails and requests are still ' +
      'served. Behind a load balancer: longer than the load balancer needs to detect the failing check.',
  })
  readonly drainMs!: number;
}

/** Schema migrations. */
export class MigrationConfig {
  @EnvVar('MIGRATE_ON_START', flag, {
    default: true,
    doc: 'Whether servers run migrations at start. A lock allows several servers to start at once.',
  })
  readonly onStart!: boolean;
}
