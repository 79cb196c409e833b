import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { commandLineOf } from './process-identity.js';
import { ProvisionError } from './provision-error.js';
import { environmentOf, findRedisBinary, type RedisBinary } from './redis-binaries.js';
import { pingRedis } from './redis-connection.js';
import { explainFailure, isPortTaken } from './server-failure.js';
import { readLog, rotateLog } from './server-log.js';
import { type ExitStatus, ServerProcess } from './server-process.js';
import { waitUntil } from './wait-until.js';

export interface RedisOptions {
  /** Made when missing; holds the append-only file, the configuration with the password (0600) and the log. */
  readonly dataDir: string;
  /** Loopback port; a free one when absent, kept for the life of the returned object. */
  readonly port?: number;
  /** How long to wait for a server of an earlier, killed process that is still shutting down. */
  readonly formerServerTimeoutMs?: number;
}

/** A Redis on a loopback port, started by this process and stopped when this process dies. */
export interface RedisServer {
  /** redis://:password@127.0.0.1:port */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly logFile: string;
  /** Resolves when the running server ends, for whatever reason. */
  readonly exited: Promise<ExitStatus>;
  /** Writes what is pending and stops. Twice is once. */
  stop(): Promise<void>;
  /** Sends a signal (SIGKILL is a crash) and returns when the process is gone. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Stops what runs and starts again on the same port; with `wipe` as an empty server. */
  restart(options?: { readonly wipe?: boolean }): Promise<void>;
}

const startTimeoutMs = 30_000;
const stopGraceMs = 10_000;
const portTries = 5;

/** Starts a Redis of our own on a data folder. Faults a person can mend are thrown as ProvisionError. */
export async function provisionRedis(options: RedisOptions): Promise<RedisServer> {
  const server = new OwnRedis(options, await findRedisBinary());
  await server.start();
  return server;
}

class OwnRedis implements RedisServer {
  private process: ServerProcess | undefined;
  private chosenPort: number | undefined;
  private password = '';

  constructor(
    private readonly options: RedisOptions,
    private readonly binary: RedisBinary,
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
    return this.running().pid;
  }

  get logFile(): string {
    return join(this.options.dataDir, 'server.log');
  }

  get exited(): Promise<ExitStatus> {
    return this.running().exited;
  }

  async start(): Promise<void> {
    try {
      mkdirSync(join(this.options.dataDir, 'data'), { recursive: true, mode: 0o700 });
      await this.awaitFormerServer();
      this.readOrMakePassword();
      rotateLog(this.logFile);
    } catch (error) {
      throw error instanceof ProvisionError ? error : this.explain(String(error));
    }
    for (let tries = 1; ; tries += 1) {
      const failure = await this.tryToStart(this.chosenPort ?? (await freePort()));
      if (failure === undefined) return;
      if (tries >= portTries || !isPortTaken(failure) || this.chosenPort !== undefined) throw this.explain(failure);
    }
  }

  async stop(): Promise<void> {
    await this.process?.stop('SIGTERM', stopGraceMs);
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    const server = this.running();
    server.signal(signal);
    await server.exited;
  }

  async restart(options: { readonly wipe?: boolean } = {}): Promise<void> {
    await this.stop();
    if (options.wipe === true) rmSync(join(this.options.dataDir, 'data'), { recursive: true, force: true });
    await this.start();
  }

  /** Undefined when the server answers; else what it printed. */
  private async tryToStart(port: number): Promise<string | undefined> {
    writeFileSync(this.configFile, this.configuration(port), { mode: 0o600 });
    const server = await ServerProcess.start({
      command: this.binary.path,
      args: [this.configFile],
      parentDeathSignal: 'SIGTERM',
      logFile: this.logFile,
      env: environmentOf(this.binary),
    });
    this.process = server;
    const answered = async (): Promise<boolean | undefined> => {
      if (!server.running) return false;
      // Somebody else's server on this port would not know our password.
      return (await pingRedis(this.urlOf(port))) === 'PONG' ? true : undefined;
    };
    if (await waitUntil(answered, { timeoutMs: startTimeoutMs, stepMs: 15 })) {
      this.chosenPort = port;
      return undefined;
    }
    await this.stop();
    return readLog(this.logFile, server.logStart);
  }

  /**
   * Loopback only and behind a password. Every write is on disk before it is answered (the events of running
   * executions are kept nowhere else; writes of one turn of the loop share one flush), and nothing is ever evicted,
   * since queues lose work to eviction. Beyond half of the machine's memory writes are refused: events fill it, and the
   * kernel would end whichever process asks next.
   */
  private configuration(port: number): string {
    const lines = [
      'bind 127.0.0.1',
      `port ${port}`,
      `requirepass ${this.password}`,
      `dir ${JSON.stringify(join(this.options.dataDir, 'data'))}`,
      `pidfile ${JSON.stringify(this.pidFile)}`,
      'daemonize no',
      'save ""',
      'appendonly yes',
      'appendfsync always',
      `maxmemory ${Math.floor(totalmem() / 2)}`,
      'maxmemory-policy noeviction',
    ];
    return `${lines.join('\n')}\n`;
  }

  /** One that is still shutting down (its parent was killed) is waited for: two servers would spoil the file. */
  private async awaitFormerServer(): Promise<void> {
    const gone = await waitUntil(async () => (this.formerServer() === undefined ? true : undefined), {
      timeoutMs: this.options.formerServerTimeoutMs ?? stopGraceMs,
      stepMs: 50,
    });
    if (gone !== undefined) return;
    throw new ProvisionError(
      `Another Redis (process ${this.formerServer()}) runs on ${this.options.dataDir}.`,
      'Stop what started it, or set DATA_DIR to another folder.',
    );
  }

  private formerServer(): number | undefined {
    if (!existsSync(this.pidFile)) return undefined;
    const pid = Number.parseInt(readFileSync(this.pidFile, 'utf8'), 10);
    const commandLine = Number.isInteger(pid) && pid > 0 ? commandLineOf(pid) : undefined;
    return commandLine !== undefined && /redis|valkey/.test(commandLine) ? pid : undefined;
  }

  private readOrMakePassword(): void {
    const kept = existsSync(this.configFile) ? readFileSync(this.configFile, 'utf8') : '';
    this.password = /^requirepass (\S+)$/m.exec(kept)?.[1] ?? randomBytes(24).toString('base64url');
  }

  private explain(printed: string): ProvisionError {
    if (isPortTaken(printed)) {
      return new ProvisionError(
        `Port ${this.chosenPort ?? ''} for Redis is taken.`,
        'Stop what listens there, or choose another port.',
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

  private running(): ServerProcess {
    if (this.process === undefined) throw new Error('Redis was not started');
    return this.process;
  }
}
