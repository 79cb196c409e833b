import { EnvVar } from './env-var.js';
import { address, decimal, flag, headerSecret, integer, oneOf, chosenKey, port, text, webOrigins } from './parsers.js';

/** Where the truth is kept. The pool is per process: PostgreSQL must allow the sum of all of them. */
export class DatabaseConfig {
  @EnvVar('DATABASE_URL', address(['postgres', 'postgresql']), {
    doc: 'PostgreSQL 15 or newer. `npm start` brings its own when this is unset.',
  })
  readonly url!: string;

  @EnvVar('DATABASE_POOL_SIZE', integer({ min: 2, max: 200 }), {
    default: 16,
    doc: 'Connections each process keeps to PostgreSQL.',
  })
  readonly poolSize!: number;

  @EnvVar('DATABASE_STATEMENT_TIMEOUT_MS', integer({ min: 0, max: 3_600_000 }), {
    default: 15_000,
    doc: 'How long one statement may run before PostgreSQL cancels it, in milliseconds; 0: as long as it likes. Migrations are not held to it.',
  })
  readonly statementTimeoutMs!: number;
}

/** Where messages and events are delivered. What is in it can be lost without losing a fact. */
export class RedisConfig {
  @EnvVar('REDIS_URL', address(['redis', 'rediss']), {
    doc: 'Redis 6.2 or newer with maxmemory-policy noeviction. `npm start` brings its own when this is unset.',
  })
  readonly url!: string;
}

/** Where the control plane listens, what its process does, and where its clients reach it. */
export class ControlPlaneConfig {
  @EnvVar('CONTROL_PLANE_PORT', port, { default: 3000, doc: 'Port of the control plane.' })
  readonly port!: number;

  @EnvVar('CONTROL_PLANE_HOST', text(), { default: '127.0.0.1', doc: 'Address the control plane listens on.' })
  readonly host!: string;

  @EnvVar('CONTROL_PLANE_ROLE', oneOf(['all', 'http', 'dispatcher']), {
    default: 'all',
    doc: 'http: answers requests. dispatcher: relays, recovers and reaps. all: both in one process.',
  })
  readonly role!: 'all' | 'http' | 'dispatcher';

  @EnvVar('PUBLIC_URL', address(['http', 'https']), {
    default: null,
    doc: 'Address under which clients reach the control plane (webhook URLs, worker configuration). Default: its own.',
  })
  readonly publicUrl!: string | null;
}

/** Which web pages may call both APIs. Keys travel in a header that no page sends by itself, so `*` gives nothing away. */
export class CrossOriginConfig {
  @EnvVar('CORS_ORIGINS', webOrigins, {
    default: [],
    doc: 'Origins whose pages may call the APIs from a browser, separated by commas (https://app.example.com); *: any. Unset: none.',
  })
  readonly origins!: readonly string[];
}

/** Where the platform API listens. */
export class PlatformApiConfig {
  @EnvVar('PLATFORM_API_PORT', port, { default: 3001, doc: 'Port of the platform API.' })
  readonly port!: number;

  @EnvVar('PLATFORM_API_HOST', text(), { default: '127.0.0.1', doc: 'Address the platform API listens on.' })
  readonly host!: string;
}

/** How the first key comes to be. A key that is set is also added to an organisation that exists already. */
export class IdentityConfig {
  @EnvVar('BOOTSTRAP_ADMIN_KEY', chosenKey, {
    default: null,
    doc:
      'Value of the admin key made at first start (16 to 512 characters). Unset: generated and printed once. ' +
      'Set on data that is there already, it makes one more admin key.',
  })
  readonly bootstrapAdminKey!: string | null;
}

/** The models that workers talk to; the platform hands these on and calls none itself. */
export class ModelGatewayConfig {
  @EnvVar('LLM_GATEWAY_URL', address(['http', 'https']), {
    default: null,
    doc: 'OpenAI-compatible gateway, up to and including /v1. `npm start` runs a development gateway when unset.',
  })
  readonly url!: string | null;

  @EnvVar('LLM_GATEWAY_API_KEY', headerSecret(), { default: null, doc: 'Key for the gateway.' })
  readonly apiKey!: string | null;

  @EnvVar('DEFAULT_MODEL', text(), { default: null, doc: 'Model used where an agent names none.' })
  readonly defaultModel!: string | null;
}

/**
 * How long a worker may be silent before its work is given to others, and how often that is looked at. Below 1,
 * `leaseHeartbeats` ends leases between two heartbeats of a worker that is well.
 */
export class DispatchConfig {
  @EnvVar('LEASE_HEARTBEATS', decimal({ min: 0.05, max: 2 }), {
    default: 1.5,
    doc: "How long a lease lasts without renewal, as a multiple of the queue's heartbeat interval.",
  })
  readonly leaseHeartbeats!: number;

  @EnvVar('LEASE_CONFIRM_MS', integer({ min: 500, max: 600_000 }), {
    default: 30_000,
    doc: 'How long a worker may take to begin what it was given before others get it, in milliseconds.',
  })
  readonly leaseConfirmMs!: number;

  @EnvVar('LEASE_GRACE_MS', integer({ min: 0, max: 600_000 }), {
    default: 15_000,
    doc: 'How long workers have to be heard again after the platform was away itself, before their leases end, in milliseconds.',
  })
  readonly leaseGraceMs!: number;

  @EnvVar('RECONCILE_INTERVAL_MS', integer({ min: 50, max: 60_000 }), {
    default: 1000,
    doc: 'How often lost deliveries and dead leases are looked for, in milliseconds.',
  })
  readonly reconcileIntervalMs!: number;
}

/** What is worth a line; the same for every process. */
export class LogConfig {
  @EnvVar('LOG_LEVEL', oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']), {
    default: 'info',
    doc: 'Least level that is logged.',
  })
  readonly level!: string;
}

/** How a server ends: it refuses new work at once and is gone five seconds after the grace at the latest. */
export class ShutdownConfig {
  @EnvVar('SHUTDOWN_GRACE_MS', integer({ min: 0, max: 600_000 }), {
    default: 10_000,
    doc: 'How long a stopping server lets running requests finish, in milliseconds.',
  })
  readonly graceMs!: number;
}

/** Who brings the schema up to date. */
export class MigrationConfig {
  @EnvVar('MIGRATE_ON_START', flag, {
    default: true,
    doc: 'Whether servers bring the schema up to date when they start (under a lock, so several may start at once).',
  })
  readonly onStart!: boolean;
}
