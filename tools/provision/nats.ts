import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { provideProgram, type Program } from './programs.js';
import type { ProvisionedServer } from './provisioned-server.js';
import { explainFailure } from './server-failure.js';
import { readLog, rotateLog } from './server-log.js';
import { ServerProcess, type ExitStatus } from './server-process.js';
import { waitUntil } from './wait-until.js';

const START_LIMITS = { timeoutMs: 30_000, intervalMs: 20 };
const STOP_GRACE_MS = 10_000;
const TOKEN_BYTES = 24;

/** A NATS server with JetStream. Its URL: nats://token@127.0.0.1:port */
export type NatsServer = ProvisionedServer;

/** A server as a member of a cluster. */
export interface NatsMember {
  /** The token of the clients of all servers. */
  readonly token: string;
  /** The configuration in addition to that of a single server. */
  readonly configuration: Readonly<Record<string, unknown>>;
}

/**
 * Starts a NATS server on a data folder, alone or as a member of a cluster. Throws ProvisionError for failures that the
 * operator can fix.
 */
export async function provisionNats(dataDir: string, member?: NatsMember): Promise<NatsServer> {
  const server = new ProvisionedNats(dataDir, await provideProgram('nats'), await freePort(), member);
  await server.restart();
  return server;
}

class ProvisionedNats implements NatsServer {
  private process: ServerProcess | undefined;
  private token = '';

  constructor(
    private readonly dataDir: string,
    private readonly program: Program,
    private readonly port: number,
    private readonly member: NatsMember | undefined,
  ) {}

  get url(): string {
    return `nats://${this.token}@127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.running.pid;
  }

  get logFile(): string {
    return join(this.dataDir, 'server.log');
  }

  get exited(): Promise<ExitStatus> {
    return this.running.exited;
  }

  async stop(): Promise<void> {
    await this.process?.stop('SIGTERM', STOP_GRACE_MS);
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    this.running.signal(signal);
    await this.running.exited;
  }

  async restart(): Promise<void> {
    await this.stop();
    mkdirSync(this.dataDir, { recursive: true, mode: 0o700 });
    rotateLog(this.logFile);
    writeFileSync(this.configFile, this.configuration(), { mode: 0o600 });
    const server = await ServerProcess.start({
      command: this.program.path,
      args: ['-c', this.configFile],
      parentDeathSignal: 'SIGTERM',
      logFile: this.logFile,
      env: { ...process.env, ...this.program.env },
    });
    this.process = server;
    const ready = await waitUntil(async () => {
      if (!server.running) return false;
      return (await greets(this.port)) ? true : undefined;
    }, START_LIMITS);
    if (ready === true) return;
    await this.stop();
    const { dataDir, logFile } = this;
    throw explainFailure({ name: 'NATS', variable: 'NATS_URL', dataDir, logFile }, readLog(logFile, server.logStart));
  }

  /** Returns JSON, a subset of the configuration language of NATS. Keeps the token of an earlier process. */
  private configuration(): string {
    const known = existsSync(this.configFile) ? readFileSync(this.configFile, 'utf8') : '';
    this.token =
      this.member?.token ?? /"token": ?"([\w-]+)"/.exec(known)?.[1] ?? randomBytes(TOKEN_BYTES).toString('base64url');
    return JSON.stringify({
      host: '127.0.0.1',
      port: this.port,
      authorization: { token: this.token },
      jetstream: { store_dir: join(this.dataDir, 'data') },
      ...this.member?.configuration,
    });
  }

  private get configFile(): string {
    return join(this.dataDir, 'nats.conf');
  }

  private get running(): ServerProcess {
    if (this.process === undefined) throw new Error('NATS was not started');
    return this.process;
  }
}

/** Returns whether a NATS server accepts connections on the port: it sends INFO to each new client. */
async function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const settle = (isUp: boolean): void => {
      socket.destroy();
      resolve(isUp);
    };
    socket.setTimeout(1000, () => settle(false));
    socket.once('data', (data: Buffer) => settle(data.toString().startsWith('INFO ')));
    socket.once('error', () => settle(false));
    socket.once('close', () => settle(false));
  });
}
