import { certificateFile, databaseUrl, replicaUrl } from './database-url.js';
import { EnvVar } from './env-var.js';
import { flag, integer, oneOf } from './parsers.js';

/** PostgreSQL. The pool sizes are per process: `max_connections` must cover the sum of both pools of all processes. */
export class DatabaseConfig {
  @EnvVar('DATABASE_URL', databaseUrl, {
    doc:
      'URL of PostgreSQL 15 or newer, or of a pooler such as PgBouncer. If unset, `npm start` runs its own server. ' +
      'Several hosts (`a:5432,b:5432`): the first one that accepts writes is used. `sslmode` is one of disable, no-verify, ' +
      'require, verify-ca, verify-full; require checks what verify-full does. Default without DATABASE_CA_FILE: disable.',
  })
  readonly url!: string;

  @EnvVar('DATABASE_DIRECT_URL', databaseUrl, {
    default: null,
    doc:
      'URL of PostgreSQL itself for migrations, which cannot run through a pooler in transaction mode. ' +
      'Default: DATABASE_URL.',
  })
  readonly directUrl!: string | null;

  @EnvVar('DATABASE_REPLICA_URL', replicaUrl, {
    default: null,
    doc:
      'URL of standbys of PostgreSQL for long reads (analytics, traces), which may then lack the last writes. Several hosts: ' +
      'the first one that responds is used, so that the primary as the last one replaces them. Default: DATABASE_URL.',
  })
  readonly replicaUrl!: string | null;

  @EnvVar('DATABASE_CA_FILE', certificateFile, {
    default: null,
    doc:
      'PEM file with the certificates of the authorities that may sign that of PostgreSQL, for URLs without `sslrootcert`. ' +
      'With it, `sslmode` is verify-full by default. Default: the authorities of Node.js.',
  })
  readonly ca!: string | null;

  @EnvVar('DATABASE_PREPARED_STATEMENTS', oneOf(['auto', 'on', 'off']), {
    default: 'auto',
    doc:
      'Whether hot statements are prepared once per connection (on, off). auto: unless DATABASE_URL leads to a pooler. ' +
      'PgBouncer supports them in transaction mode since version 1.21, with `max_prepared_statements`.',
  })
  readonly preparedStatements!: 'auto' | 'on' | 'off';

  @EnvVar('DATABASE_POOL_SIZE', integer({ min: 2, max: 200 }), {
    default: 16,
    doc: 'Maximum number of PostgreSQL connections per process, without those of long reads.',
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

  @EnvVar('DATABASE_LONG_READ_POOL_SIZE', integer({ min: 2, max: 50 }), {
    default: 4,
    doc:
      'Maximum number of further PostgreSQL connections per process for long reads (analytics, traces), which use no others. ' +
      'They are opened when they are needed.',
  })
  readonly longReadPoolSize!: number;

  @EnvVar('DATABASE_LONG_READ_TIMEOUT_MS', integer({ min: 0, max: 3_600_000 }), {
    default: 10_000,
    doc:
      'Time limit of all SQL statements of one long read together, in milliseconds, instead of DATABASE_READ_TIMEOUT_MS; ' +
      '0: none. While a long read runs, PostgreSQL removes no row version that became obsolete after its start.',
  })
  readonly longReadTimeoutMs!: number;

  @EnvVar('DATABASE_RESPONSE_GRACE_MS', integer({ min: 100, max: 600_000 }), {
    default: 5000,
    doc:
      'Time in milliseconds, in addition to the time limit of a statement, after which a connection to PostgreSQL that does ' +
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
      'A pooler sends those that its own settings define.',
  })
  readonly keepaliveSeconds!: number;
}

/** Schema migrations. */
export class MigrationConfig {
  @EnvVar('MIGRATE_ON_START', flag, {
    default: true,
    doc: 'Whether servers run migrations at start. A lock allows several servers to start at once.',
  })
  readonly onStart!: boolean;
}
