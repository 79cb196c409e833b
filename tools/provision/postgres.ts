import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from './free-port.js';
import { choosePostgresAccount, changeOwner, type PostgresAccount } from './postgres-account.js';
import { findPostgresBinaries, type PostgresBinaries } from './postgres-binaries.js';
import {
  clusterFiles,
  type ClusterFiles,
  createCluster,
  existingMajor,
  readPassword,
  spawnIdentity,
  SUPERUSER,
  waitForFormerServer,
} from './postgres-cluster.js';
import { tryConnect } from './postgres-connection.js';
import { ProvisionError } from './provision-error.js';
import type { ProvisionedServer } from './provisioned-server.js';
import { explainFailure, isPortTaken } from './server-failure.js';
import { readLog, rotateLog } from './server-log.js';
import { type ExitStatus, ServerProcess } from './server-process.js';
import { waitUntil } from './wait-until.js';

export interface PostgresOptions {
  /** Created if missing; holds the cluster, the password file (0600) and the server's log. */
  readonly dataDir: string;
  /** Loopback port. Default: a free one, which restarts keep. */
  readonly port?: number;
  /** The database in `url`; created if missing. Default: `platform`. */
  readonly database?: string;
  /** Server settings that override the defaults, such as `{ max_connections: '300' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /**
   * False runs initdb without fsync, for folders that are deleted afterwards; fsync of the server stays enabled.
   * Default: true.
   */
  readonly durableInit?: boolean;
  /** The programs to run. Default: those installed by npm, otherwise those of the system. */
  readonly binaries?: PostgresBinaries;
  /** How long to wait for the server of an earlier, killed process to shut down. */
  readonly formerServerTimeoutMs?: number;
}

/** A Postgres server. Its URL: postgres://postgres:password@127.0.0.1:port/database */
export interface PostgresServer extends ProvisionedServer {
  readonly port: number;
  /** Fast shutdown: disconnects clients, then writes a checkpoint. Idempotent. */
  stop(): Promise<void>;
  /** Resolves after crash recovery. */
  restart(): Promise<void>;
}

const DEFAULT_DATABASE = 'platform';
const START_TIMEOUT_MS = 60_000;
const READY_CHECK_INTERVAL_MS = 25;
const STOP_GRACE_MS = 20_000;
const MAX_START_ATTEMPTS = 5;

/** Starts a Postgres server on a data folder. Throws ProvisionError for failures that the operator can fix. */
export async function provisionPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const files = clusterFiles(options.dataDir);
  createDataFolder(files.folder);
  const major = existingMajor(files);
  const binaries = options.binaries ?? (await findPostgresBinaries(major));
  const account = choosePostgresAccount([binaries.folder, files.folder]);
  changeOwner(files.folder, account);
  if (major === undefined) await createCluster(files, binaries, account, options.durableInit ?? true);
  const server = new ProvisionedPostgres(options, files, binaries, account);
  await server.start();
  return server;
}

class ProvisionedPostgres implements PostgresServer {
  private process: ServerProcess | undefined;
  private chosenPort: number | undefined;

  constructor(
    private readonly options: PostgresOptions,
    private readonly files: ClusterFiles,
    private readonly binaries: PostgresBinaries,
    private readonly account: PostgresAccount,
  ) {
    this.chosenPort = options.port;
  }

  get url(): string {
    return this.urlOf(this.options.database ?? DEFAULT_DATABASE);
  }

  get port(): number {
    if (this.chosenPort === undefined) throw new Error('Postgres was not started');
    return this.chosenPort;
  }

  get pid(): number {
    return this.requireProcess().pid;
  }

  get logFile(): string {
    return this.files.log;
  }

  get exited(): Promise<ExitStatus> {
    return this.requireProcess().exited;
  }

  async start(): Promise<void> {
    await waitForFormerServer(this.files, this.options.formerServerTimeoutMs ?? STOP_GRACE_MS);
    rotateLog(this.files.log);
    try {
      await this.startListening();
      await this.createDatabase();
    } catch (error) {
      // A running server would keep this process alive after the failure.
      await this.stop();
      throw error instanceof ProvisionError ? error : this.toProvisionError(String(error));
    }
  }

  async stop(): Promise<void> {
    await this.process?.stop('SIGINT', STOP_GRACE_MS);
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    const server = this.requireProcess();
    server.signal(signal);
    await server.exited;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  private async startListening(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const failure = await this.tryToStart(this.chosenPort ?? (await freePort()));
      if (failure === undefined) return;
      if (attempt >= MAX_START_ATTEMPTS || !this.isRetryable(failure)) throw this.toProvisionError(failure);
    }
  }

  /** Returns undefined when the server accepts connections, otherwise what it printed. */
  private async tryToStart(port: number): Promise<string | undefined> {
    const server = await ServerProcess.start({
      command: join(this.binaries.folder, 'postgres'),
      args: ['-D', this.files.cluster, ...this.settings(port)],
      parentDeathSignal: 'SIGINT',
      logFile: this.files.log,
      prefix: this.account.prefix,
      env: { ...process.env, ...this.binaries.env },
      ...spawnIdentity(this.account),
    });
    this.process = server;
    const previousPort = this.chosenPort;
    this.chosenPort = port;
    const ready = await waitUntil(() => this.checkReady(server), {
      timeoutMs: START_TIMEOUT_MS,
      intervalMs: READY_CHECK_INTERVAL_MS,
    });
    if (ready === true) return undefined;
    this.chosenPort = previousPort;
    await this.stop();
    return readLog(this.files.log, server.logStart);
  }

  /** Returns undefined while the server is still starting, and false when it has exited. */
  private async checkReady(server: ServerProcess): Promise<boolean | undefined> {
    if (!server.running) return false;
    const { connected } = await tryConnect(this.urlOf('postgres'));
    // Another server on this port would reject our password. Checked again: ours may have exited in the meantime.
    return connected && server.running ? true : undefined;
  }

  /** Another process may bind the free port first, and backends of a crashed server may still be exiting. */
  private isRetryable(printed: string): boolean {
    if (/shared memory block .* still in use|lock file .* already exists/i.test(printed)) return true;
    return isPortTaken(printed) && this.options.port === undefined && this.chosenPort === undefined;
  }

  private toProvisionError(printed: string): ProvisionError {
    if (isPortTaken(printed)) {
      return new ProvisionError(
        `Port ${this.chosenPort ?? ''} for Postgres is already in use.`,
        'Stop the process that uses it, or choose another port.',
      );
    }
    const { folder, log } = this.files;
    return explainFailure({ name: 'Postgres', variable: 'DATABASE_URL', dataDir: folder, logFile: log }, printed);
  }

  private settings(port: number): string[] {
    const settings = {
      listen_addresses: '127.0.0.1',
      port: String(port),
      unix_socket_directories: '',
      max_connections: '200',
      timezone: 'UTC',
      log_timezone: 'UTC',
      lc_messages: 'C',
      ...this.options.settings,
    };
    return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  }

  private async createDatabase(): Promise<void> {
    const name = this.options.database ?? DEFAULT_DATABASE;
    const client = new Client({ connectionString: this.urlOf('postgres') });
    await client.connect();
    try {
      const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
      if (found.rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
    } finally {
      await client.end();
    }
  }

  private urlOf(databaseName: string): string {
    return `postgres://${SUPERUSER}:${readPassword(this.files)}@127.0.0.1:${this.port}/${databaseName}`;
  }

  private requireProcess(): ServerProcess {
    if (this.process === undefined) throw new Error('Postgres was not started');
    return this.process;
  }
}

function createDataFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o711 });
    chmodSync(folder, 0o700);
  } catch (error) {
    throw explainFailure({ name: 'Postgres', variable: 'DATABASE_URL', dataDir: folder, logFile: '' }, String(error));
  }
}
