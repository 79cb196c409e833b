import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findOnPath, runCommand } from './commands.js';
import { unpackDebianPackages } from './debian-packages.js';
import { freePort } from './free-port.js';
import { ProvisionError } from './provision-error.js';
import type { ProvisionedServer } from './provisioned-server.js';
import { explainFailure } from './server-failure.js';
import { readLog, rotateLog } from './server-log.js';
import { ServerProcess, type ExitStatus } from './server-process.js';
import { waitUntil } from './wait-until.js';

const START_LIMITS = { timeoutMs: 30_000, intervalMs: 20 };
const STOP_GRACE_MS = 10_000;
const TOKEN_BYTES = 24;
/** The directory of the binary differs between releases of Debian. */
const UNPACKED = ['usr/sbin/nats-server', 'usr/bin/nats-server'];

/** A NATS server with JetStream. Its URL: nats://token@127.0.0.1:port */
export type NatsServer = ProvisionedServer;

/** Starts a NATS server on a data folder. Throws ProvisionError for failures that the operator can fix. */
export async function provisionNats(dataDir: string): Promise<NatsServer> {
  const server = new ProvisionedNats(dataDir, await findNatsBinary(), await freePort());
  await server.restart();
  return server;
}

class ProvisionedNats implements NatsServer {
  private process: ServerProcess | undefined;
  private token = '';

  constructor(
    private readonly dataDir: string,
    private readonly binary: string,
    private readonly port: number,
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
      command: this.binary,
      args: ['-c', this.configFile],
      parentDeathSignal: 'SIGTERM',
      logFile: this.logFile,
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
    this.token = /"token": ?"([\w-]+)"/.exec(known)?.[1] ?? randomBytes(TOKEN_BYTES).toString('base64url');
    return JSON.stringify({
      host: '127.0.0.1',
      port: this.port,
      authorization: { token: this.token },
      jetstream: { store_dir: join(this.dataDir, 'data') },
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

/** Returns the nats-server to run: that of the system, an unpacked copy in the cache, or the Debian package. */
async function findNatsBinary(): Promise<string> {
  const installed = findOnPath('nats-server');
  if (installed !== undefined && (await runs(installed))) return installed;
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'agent-orchestration-platform');
  const folder = join(cache, `nats-${process.arch}`);
  const unpacked = (): string | undefined =>
    UNPACKED.map((path) => join(folder, path)).find((path) => existsSync(path));
  const cached = unpacked();
  if (cached !== undefined && (await runs(cached))) return cached;
  const failure = await unpackDebianPackages(folder, ['nats-server'], UNPACKED);
  const binary = unpacked();
  if (failure === undefined && binary !== undefined && (await runs(binary))) return binary;
  throw new ProvisionError(
    `No usable nats-server was found (Debian package: ${failure ?? 'it does not run'}).`,
    'Install it (apt install nats-server, brew install nats-server), or set NATS_URL to a running server.',
  );
}

async function runs(binary: string): Promise<boolean> {
  return (await runCommand(binary, ['--version'])).code === 0;
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
