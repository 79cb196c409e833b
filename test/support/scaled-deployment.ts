import { randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { eventually } from '@app/testing';
import { parse } from 'yaml';
import type { Program } from '../../tools/provision/programs.js';
import { ServerProcess } from '../../tools/provision/server-process.js';
import { TestedApp } from './tested-app.js';
import { NameServer } from './name-server.js';
import { registerApi } from './published-apis.js';

const DOCKER = join(__dirname, '..', '..', 'docker');
const CONFIGURATION = readFileSync(join(DOCKER, 'haproxy.cfg'), 'utf8');
const COMPOSE = parse(readFileSync(join(DOCKER, 'compose.scaled.yaml'), 'utf8'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
};

type Environment = Readonly<Record<string, string>>;

interface Service {
  readonly build: { readonly dockerfile: string };
  readonly environment: Environment;
  readonly deploy: { readonly replicas: number };
}

/** The services that run code of the project. */
type ServiceName = 'control-plane' | 'dispatcher' | 'platform-api' | 'worker';

interface Replica {
  readonly service: ServiceName;
  readonly address: string;
  readonly process: TestedApp;
}

/** The state of a server in the statistics of the balancer. */
const UP = /^UP\b/;

/**
 * The services of `compose.scaled.yaml` as processes: with its environment, its numbers of replicas, the commands of its
 * images and its balancer with `haproxy.cfg`. Each replica has a loopback address, as it has an address in the network of
 * the containers; the name of a service resolves to the addresses of its running replicas.
 */
export class ScaledDeployment {
  readonly replicas: Replica[] = [];
  private readonly network = `127.${randomInt(64, 128)}.${randomInt(256)}`;
  private readonly files = mkdtempSync(join(tmpdir(), 'scaled-'));
  private readonly names = new NameServer((name) =>
    this.of(name).flatMap(({ address, process }) => (process.running ? [address] : [])),
  );
  private balancer: ServerProcess | undefined;

  private variables: Environment = {};

  /**
   * `settings` are environment variables of every process, in place of those in the compose file. `folder` has the build
   * that they run, if it is not this one; responses are then not compared with the documents of this version.
   */
  constructor(
    private readonly haproxy: Program,
    private readonly settings: Environment,
    private readonly folder?: string,
  ) {}

  /** The URL of the control planes behind the balancer. */
  get url(): string {
    return `http://${this.address(1)}:3000`;
  }

  /** The URL of the platform APIs behind the balancer. */
  get platformApiUrl(): string {
    return `http://${this.address(1)}:3001`;
  }

  of(service: string): readonly Replica[] {
    return this.replicas.filter((replica) => replica.service === service);
  }

  /**
   * Starts the replicas of the services, and the balancer before the first of them. Resolves when the balancer sends
   * requests to all of them. `variables` are those of the compose file; those of earlier calls are kept.
   */
  async start(services: readonly ServiceName[], variables: Environment): Promise<void> {
    this.variables = { ...this.variables, ...variables };
    if (this.balancer === undefined) await this.startBalancer();
    await Promise.all(services.map((service) => this.startService(service)));
    await this.waitUntilBalanced();
  }

  /** Resolves when the balancer sends requests to all servers. */
  async waitUntilBalanced(): Promise<void> {
    const servers = this.replicas.filter(({ service }) => CONFIGURATION.includes(` ${service}:`));
    await eventually(async () => {
      const ready = await this.readyServers();
      if (ready !== servers.length) throw new Error(`${ready} of ${servers.length} servers are ready`);
    });
  }

  /** The lines of the balancer's log about requests to which a server did not respond completely. */
  get failures(): string[] {
    const log = readFileSync(join(this.files, 'haproxy.log'), 'utf8').split('\n');
    // The first letter of the termination state: the server or the balancer ended the session.
    return log.filter((line) => / [SPRIK][A-Z]\S{2} \d+\//i.test(line));
  }

  async stop(): Promise<void> {
    await Promise.all(this.replicas.map(({ process }) => process.end('SIGKILL')));
    await this.balancer?.stop('SIGTERM', 5000);
    this.names.stop();
    rmSync(this.files, { recursive: true, force: true });
  }

  private address(host: number): string {
    return `${this.network}.${host}`;
  }

  private async startService(name: ServiceName): Promise<void> {
    const service = COMPOSE.services[name];
    if (service === undefined) throw new Error(`compose.scaled.yaml has no service ${name}`);
    const image = readFileSync(join(DOCKER, '..', service.build.dockerfile), 'utf8');
    const [, entry = ''] = /^CMD \["node", "(.+)"\]$/m.exec(image) ?? [];
    const { environment, deploy } = service;
    const added = Array.from({ length: deploy.replicas }, async () => {
      const address = this.address(2 + this.replicas.length);
      const env = { ...variablesOf(image), ...this.resolved(environment), ...this.settings };
      const bound = Object.entries(env).map(([key, value]) => [key, value === '0.0.0.0' ? address : value] as const);
      const [, port] = /^EXPOSE (\d+)$/m.exec(image) ?? [];
      const ready = port === undefined ? /worker ready/ : `http://${address}:${port}/api/health/ready`;
      const process = new TestedApp({ entry, env: Object.fromEntries(bound), ready });
      process.useBuildIn(this.folder);
      this.replicas.push({ service: name, address, process });
      await process.start();
    });
    await Promise.all(added);
  }

  /** Replaces the variables of the compose file, and the name of the balancer by its address. */
  private resolved(environment: Environment): Record<string, string> {
    const values = Object.entries(environment).map(([key, value]) => {
      const text = value.replace(/\$\{(\w+)(?::[-?]([^}]*))?\}/g, (_all, name: string, fallback = '') => {
        return this.variables[name] ?? String(fallback);
      });
      return [key, text.replace('//balancer:', `//${this.address(1)}:`)] as const;
    });
    return Object.fromEntries(values);
  }

  private async startBalancer(): Promise<void> {
    const address = this.address(1);
    const port = await this.names.start(address);
    const files = { 'haproxy.cfg': this.configuration(address, port), 'statistics.cfg': this.statistics() };
    for (const [name, content] of Object.entries(files)) writeFileSync(join(this.files, name), content);
    this.balancer = await ServerProcess.start({
      command: this.haproxy.path,
      args: ['-db', ...Object.keys(files).flatMap((name) => ['-f', join(this.files, name)])],
      parentDeathSignal: 'SIGTERM',
      logFile: join(this.files, 'haproxy.log'),
      env: { ...process.env, ...this.haproxy.env },
    });
    if (this.folder !== undefined) return;
    registerApi(this.url, 'control-plane');
    registerApi(this.platformApiUrl, 'platform-api');
  }

  /** The configuration of the balancer with its address instead of all addresses, and this name server. */
  private configuration(address: string, port: number): string {
    const replaced = CONFIGURATION.replaceAll(' bind :', ` bind ${address}:`).replace(
      '127.0.0.11:53',
      `${address}:${port}`,
    );
    if (!replaced.includes(`${address}:${port}`))
      throw new Error('haproxy.cfg does not name the name server of Docker');
    return replaced;
  }

  private statistics(): string {
    return `global\n  stats socket ${this.socket}\n`;
  }

  private get socket(): string {
    return join(this.files, 'haproxy.sock');
  }

  private async readyServers(): Promise<number> {
    const socket = connect(this.socket);
    socket.end('show stat\n');
    const [head = '', ...rows] = (await text(socket)).split('\n');
    const [name, status] = ['svname', 'status'].map((column) => head.replace('# ', '').split(',').indexOf(column));
    const servers = rows.map((row) => row.split(',')).filter((row) => /\d$/.test(row[name ?? -1] ?? ''));
    return servers.filter((row) => UP.test(row[status ?? -1] ?? '')).length;
  }
}

/** Returns the variables that an image sets. */
function variablesOf(image: string): Record<string, string> {
  const lines = [...image.matchAll(/^ENV (.+)$/gm)].flatMap(([, line = '']) => line.split(' '));
  return Object.fromEntries(lines.map((line) => line.split('=') as [string, string]));
}
