import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from './free-port.js';
import { choosePostgresAccount, handOver, type PostgresAccount } from './postgres-account.js';
import { findPostgresBinaries, type PostgresBinaries } from './postgres-binaries.js';
import {
  awaitFormerServer,
  clusterFiles,
  type ClusterFiles,
  createCluster,
  existingMajor,
  ids,
  readPassword,
  superuser,
} from './postgres-cluster.js';
import { tryConnect } from './postgres-connection.js';
import { ProvisionError } from './provision-error.js';
import { explainFailure, isPortTaken } from './server-failure.js';
import { readLog, rotateLog } from './server-log.js';
import { type ExitStatus, ServerProcess } from './server-process.js';
import { waitUntil } from './wait-until.js';

export interface PostgresOptions {
  /** Made when missing; holds the cluster, the password file (0600) and the server's log. */
  readonly dataDir: string;
  /** Loopback port; a free one when absent, kept for the life of the returned object. */
  readonly port?: number;
  /** The database that `url` names; made when missing. */
  readonly database?: string;
  /** Server settings beside the defaults, such as `{ max_connections: '300' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** False skips the flush of a new cluster's files at its making (the server's own fsync stays on): for folders thrown away. */
  readonly durableInit?: boolean;
  /** How long to wait for a server of an earlier, killed process that is still shutting down. */
  readonly formerServerTimeoutMs?: number;
}

/** A Postgres on a loopback port, started by this process and stopped when this process dies. */
export interface PostgresServer {
  /** postgres://postgres:password@127.0.0.1:port/database */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly logFile: string;
  /** Resolves when the running server ends, for whatever reason. */
  readonly exited: Promise<ExitStatus>;
  /** Ends open connections, flushes and stops. Twice is once. */
  stop(): Promise<void>;
  /** A crash: SIGKILL, and returns when the process is gone. */
  kill9(): Promise<void>;
  /** Stops what runs and starts again on the same folder and port; after a crash it recovers first. */
  restart(): Promise<void>;
}

const database = 'platform';
const startTimeoutMs = 60_000;
const stopGraceMs = 20_000;
const portTries = 5;

/** Starts a Postgres of our own on a data folder. Faults a person can mend are thrown as ProvisionError. */
export async function provisionPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const files = clusterFiles(options.dataDir);
  makeFolder(files.folder);
  const major = existingMajor(files);
  const binaries = await findPostgresBinaries(major);
  const account = choosePostgresAccount([binaries.folder, files.folder]);
  handOver(files.folder, account);
  if (major === undefined) await createCluster(files, binaries, account, options.durableInit ?? true);
  const server = new OwnPostgres(options, files, binaries, account);
  await server.start();
  return server;
}

class OwnPostgres implements PostgresServer {
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
    return this.urlOf(this.options.database ?? database);
  }

  get port(): number {
    if (this.chosenPort === undefined) throw new Error('Postgres was not started');
    return this.chosenPort;
  }

  get pid(): number {
    return this.running().pid;
  }

  get logFile(): string {
    return this.files.log;
  }

  get exited(): Promise<ExitStatus> {
    return this.running().exited;
  }

  async start(): Promise<void> {
    await awaitFormerServer(this.files, this.options.formerServerTimeoutMs ?? stopGraceMs);
    rotateLog(this.files.log);
    try {
      await this.listen();
      await this.createDatabase();
    } catch (error) {
      // A server that runs would keep this process alive, which has told its failure and means to end.
      await this.stop();
      throw error instanceof ProvisionError ? error : this.explain(String(error));
    }
  }

  async stop(): Promise<void> {
    await this.process?.stop('SIGINT', stopGraceMs);
  }

  async kill9(): Promise<void> {
    const server = this.running();
    server.signal('SIGKILL');
    await server.exited;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  private async listen(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const failure = await this.tryToStart(this.chosenPort ?? (await freePort()));
      if (failure === undefined) return;
      if (tries >= portTries || !this.mayHelpToRetry(failure)) throw this.explain(failure);
    }
  }

  /** Undefined when the server answers; else what it printed. */
  private async tryToStart(port: number): Promise<string | undefined> {
    const server = await ServerProcess.start({
      command: join(this.binaries.folder, 'postgres'),
      args: ['-D', this.files.cluster, ...this.settings(port)],
      parentDeathSignal: 'SIGINT',
      logFile: this.files.log,
      prefix: this.account.prefix,
      ...ids(this.account),
    });
    this.process = server;
    const previousPort = this.chosenPort;
    this.chosenPort = port;
    const answer = await waitUntil(() => this.answered(server), { timeoutMs: startTimeoutMs, stepMs: 25 });
    if (answer === true) return undefined;
    this.chosenPort = previousPort;
    await this.stop();
    return readLog(this.files.log, server.logStart);
  }

  private async answered(server: ServerProcess): Promise<boolean | undefined> {
    if (!server.running) return false;
    const { connected } = await tryConnect(this.urlOf('postgres'));
    // Somebody else's server on this port would not know our password; ours having ended means it never got the port.
    return connected && server.running ? true : undefined;
  }

  /** A free port may be taken between asking and listening; after a crash the old backends need a moment to go. */
  private mayHelpToRetry(printed: string): boolean {
    if (/shared memory block .* still in use|lock file .* already exists/i.test(printed)) return true;
    return isPortTaken(printed) && this.options.port === undefined && this.chosenPort === undefined;
  }

  private explain(printed: string): ProvisionError {
    if (isPortTaken(printed)) {
      return new ProvisionError(
        `Port ${this.chosenPort ?? ''} for Postgres is taken.`,
        'Stop what listens there, or choose another port.',
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
    const name = this.options.database ?? database;
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
    return `postgres://${superuser}:${readPassword(this.files)}@127.0.0.1:${this.port}/${databaseName}`;
  }

  private running(): ServerProcess {
    if (this.process === undefined) throw new Error('Postgres was not started');
    return this.process;
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o711 });
    chmodSync(folder, 0o700);
  } catch (error) {
    throw explainFailure({ name: 'Postgres', variable: 'DATABASE_URL', dataDir: folder, logFile: '' }, String(error));
  }
}
