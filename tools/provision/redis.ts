import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { commandLineOf } from './process-identity.js';
import { provideProgram, type Program } from './programs.js';
import { ProvisionError } from './provision-error.js';
import type { ProvisionedServer } from './provisioned-server.js';
import { pingRedis } from './redis-connection.js';
import { explainFailure, isPortTaken } from './server-failure.js';
import { readLog, rotateLog } from './server-log.js';
import { type ExitStatus, ServerProcess } from './server-process.js';
import { waitUntil } from './wait-until.js';

export interface RedisOptions {
  /** Created if missing; holds the append-only file, the configuration with the password (0600) and the log. */
  readonly dataDir: string;
  /** Loopback port. Default: a free one, which restarts keep. */
  readonly port?: number;
  /** False keeps the data in memory only, for tests that never restart the server. Default: true. */
  readonly durable?: boolean;
  /** How long to wait for the server of an earlier, killed process to shut down. */
  readonly formerServerTimeoutMs?: number;
  /** Default: a random one, which the data folder keeps. */
  readonly password?: string;
  /** Further lines of the configuration. */
  readonly settings?: readonly string[];
  /** Starts a sentinel instead of a server with data. */
  readonly sentinel?: boolean;
}

/** A Redis server. Its URL: redis://:password@127.0.0.1:port */
export interface RedisServer extends ProvisionedServer {
  readonly port: number;
  /** `wipe` deletes the data before the start. */
  restart(options?: { readonly wipe?: boolean }): Promise<void>;
}

const START_TIMEOUT_MS = 30_000;
const READY_CHECK_INTERVAL_MS = 15;
const FORMER_SERVER_CHECK_INTERVAL_MS = 50;
const STOP_GRACE_MS = 10_000;
const MAX_START_ATTEMPTS = 5;
const PASSWORD_BYTES = 24;

/** Starts a Redis server on a data folder. Throws ProvisionError for failures that the operator can fix. */
export async function provisionRedis(options: RedisOptions): Promise<RedisServer> {
  const server = new ProvisionedRedis(options, await provideProgram('redis'));
  await server.start();
  return server;
}

class ProvisionedRedis implements RedisServer {
  private process: ServerProcess | undefined;
  private chosenPort: number | undefined;
  private password = '';

  constructor(
    private readonly options: RedisOptions,
    private readonly program: Program,
  ) {
    this.chosenPort = options.port;
  }

  get url(): string {
    return this.urlOf(this.port);
  }

  get port(): number {
    if (this.chosenPort === undefined) throw new Error('Redis was not started');
    return this.chosenPort;
  }

  get pid(): number {
    return this.requireProcess().pid;
  }

  get logFile(): string {
    return join(this.options.dataDir, 'server.log');
  }

  get exited(): Promise<ExitStatus> {
    return this.requireProcess().exited;
  }

  async start(): Promise<void> {
    try {
      mkdirSync(join(this.options.dataDir, 'data'), { recursive: true, mode: 0o700 });
      await this.waitForFormerServer();
      this.loadOrCreatePassword();
      rotateLog(this.logFile);
    } catch (error) {
      throw error instanceof ProvisionError ? error : this.toProvisionError(String(error));
    }
    for (let attempt = 1; ; attempt += 1) {
      const failure = await this.tryToStart(this.chosenPort ?? (await freePort()));
      if (failure === undefined) return;
      const isRetryable = isPortTaken(failure) && this.chosenPort === undefined;
      if (attempt >= MAX_START_ATTEMPTS || !isRetryable) throw this.toProvisionError(failure);
    }
  }

  async stop(): Promise<void> {
    await this.process?.stop('SIGTERM', STOP_GRACE_MS);
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    const server = this.requireProcess();
    server.signal(signal);
    await server.exited;
  }

  async restart(options: { readonly wipe?: boolean } = {}): Promise<void> {
    await this.stop();
    if (options.wipe === true) rmSync(join(this.options.dataDir, 'data'), { recursive: true, force: true });
    await this.start();
  }

  /** Returns undefined when the server responds, otherwise what it printed. */
  private async tryToStart(port: number): Promise<string | undefined> {
    writeFileSync(this.configFile, this.configuration(port), { mode: 0o600 });
    const server = await ServerProcess.start({
      command: this.program.path,
      args: [this.configFile, ...(this.options.sentinel === true ? ['--sentinel'] : [])],
      parentDeathSignal: 'SIGTERM',
      logFile: this.logFile,
      env: { ...process.env, ...this.program.env },
    });
    this.process = server;
    const checkReady = async (): Promise<boolean | undefined> => {
      if (!server.running) return false;
      // Another server on this port would reject our password.
      return (await pingRedis({ host: '127.0.0.1', port, password: this.password })) === 'PONG' ? true : undefined;
    };
    const ready = await waitUntil(checkReady, { timeoutMs: START_TIMEOUT_MS, intervalMs: READY_CHECK_INTERVAL_MS });
    if (ready === true) {
      this.chosenPort = port;
      return undefined;
    }
    await this.stop();
    return readLog(this.logFile, server.logStart);
  }

  /**
   * Listens on loopback only and requires the password. Flushes every write to disk before it replies, because events
   * of running executions are stored nowhere else (writes of one event-loop iteration share one flush). Never evicts a
   * key, because an evicted queue entry is lost work. Rejects writes above half of the machine's memory: without the
   * limit, events could fill the memory until the kernel kills a process.
   */
  private configuration(port: number): string {
    const { durable, sentinel, settings = [] } = this.options;
    const data = [
      'save ""',
      ...(durable === false ? ['appendonly no'] : ['appendonly yes', 'appendfsync always']),
      `maxmemory ${Math.floor(totalmem() / 2)}`,
      'maxmemory-policy noeviction',
    ];
    const lines = [
      'bind 127.0.0.1',
      `port ${port}`,
      `requirepass ${this.password}`,
      `dir ${JSON.stringify(join(this.options.dataDir, 'data'))}`,
      `pidfile ${JSON.stringify(this.pidFile)}`,
      'daemonize no',
      ...(sentinel === true ? [] : data),
      ...settings,
    ];
    return `${lines.join('\n')}\n`;
  }

  /** Waits until a server whose parent was killed has exited: two servers would corrupt the append-only file. */
  private async waitForFormerServer(): Promise<void> {
    const ended = await waitUntil(async () => (this.formerServerPid() === undefined ? true : undefined), {
      timeoutMs: this.options.formerServerTimeoutMs ?? STOP_GRACE_MS,
      intervalMs: FORMER_SERVER_CHECK_INTERVAL_MS,
    });
    if (ended !== undefined) return;
    throw new ProvisionError(
      `Another Redis (process ${this.formerServerPid()}) is running on ${this.options.dataDir}.`,
      'Stop the process that started it, or set DATA_DIR to another folder.',
    );
  }

  private formerServerPid(): number | undefined {
    if (!existsSync(this.pidFile)) return undefined;
    const pid = Number.parseInt(readFileSync(this.pidFile, 'utf8'), 10);
    const commandLine = Number.isInteger(pid) && pid > 0 ? commandLineOf(pid) : undefined;
    return commandLine !== undefined && /redis|valkey/.test(commandLine) ? pid : undefined;
  }

  private loadOrCreatePassword(): void {
    const config = existsSync(this.configFile) ? readFileSync(this.configFile, 'utf8') : '';
    const { password } = this.options;
    const kept = password ?? /^requirepass (\S+)$/m.exec(config)?.[1];
    this.password = kept ?? randomBytes(PASSWORD_BYTES).toString('base64url');
  }

  private toProvisionError(printed: string): ProvisionError {
    if (isPortTaken(printed)) {
      return new ProvisionError(
        `Port ${this.chosenPort ?? ''} for Redis is already in use.`,
        'Stop the process that uses it, or choose another port.',
      );
    }
    const { dataDir } = this.options;
    return explainFailure({ name: 'Redis', variable: 'REDIS_URL', dataDir, logFile: this.logFile }, printed);
  }

  private urlOf(port: number): string {
    return `redis://:${this.password}@127.0.0.1:${port}`;
  }

  private get configFile(): string {
    return join(this.options.dataDir, 'redis.conf');
  }

  private get pidFile(): string {
    return join(this.options.dataDir, 'redis.pid');
  }

  private requireProcess(): ServerProcess {
    if (this.process === undefined) throw new Error('Redis was not started');
    return this.process;
  }
}
