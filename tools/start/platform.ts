import { join } from 'node:path';
import { loadConfig } from '@app/config';
import { makeFolder } from '../provision/make-folder.js';
import { provisionNats } from '../provision/nats.js';
import { provisionPostgres } from '../provision/postgres.js';
import { checkPostgres, hasTables } from '../provision/postgres-connection.js';
import type { ProvisionedServer } from '../provision/provisioned-server.js';
import { provisionRedis } from '../provision/redis.js';
import { lastLines, readLog } from '../provision/server-log.js';
import { AppPart } from './app-part.js';
import { checkConfiguredRedis } from './check-redis.js';
import { Reaper } from './reaper.js';
import { secretsKey } from './keys.js';
import { LauncherConfig } from './launcher.config.js';
import { environmentFor, type ServerAddress } from './settings.js';
import { Supervisor, type Part } from './supervisor.js';

const MAX_LOG_LINES = 5;
/** A killed worker is noticed within 15 s: leases last 1.5 heartbeats. */
const START_HEARTBEAT_SECONDS = '10';

export interface PlatformOptions {
  readonly dataDir: string;
  readonly controlPlane: ServerAddress;
  readonly platformApi: ServerAddress;
  /** Default: no tool server. */
  readonly toolServer?: ServerAddress;
  /** Receives every line that an app prints. */
  readonly onLine: (name: string, line: string) => void;
  /** Receives a description of each step, to be shown on the terminal. */
  readonly onStep: (step: string) => void;
}

/**
 * The servers and apps of one platform. Parts stop in reverse start order: worker, tool server, platform API, control plane,
 * model gateway, then the stores (NATS, Redis, Postgres) in any order. `stop` may be called at any time, also during the
 * start.
 */
export class Platform {
  databaseUrl = '';
  redisUrl = '';
  private natsUrl: string | undefined;
  /** The model of agents without one. */
  defaultModel: string | undefined;
  private readonly supervisor: Supervisor;
  private readonly reaper = new Reaper();
  private stopping: Promise<void> | undefined;
  private pending: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: PlatformOptions) {
    this.supervisor = new Supervisor({ onStep: options.onStep });
    makeFolder(join(options.dataDir, 'logs'), 0o700);
  }

  /** Rejects if a part exits during the start. */
  get failed(): Promise<never> {
    return this.supervisor.failed;
  }

  /** Ends the start phase: from now on a part that exits is restarted. */
  allUp(): void {
    this.supervisor.allUp();
  }

  /** Starts Postgres and Redis, or checks the configured ones. Returns whether the database is empty. */
  async startServers(): Promise<boolean> {
    const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = process.env;
    const caFile = process.env['DATABASE_CA_FILE'] || undefined;
    this.options.onStep(databaseUrl && redisUrl ? 'Checking Postgres and Redis' : 'Starting Postgres and Redis');
    await this.runConcurrently([
      async () =>
        (this.databaseUrl = databaseUrl
          ? await checkedUrl(databaseUrl, (url) => checkPostgres(url, { caFile }))
          : await this.startPostgres()),
      async () =>
        (this.redisUrl = redisUrl ? await checkedUrl(redisUrl, checkConfiguredRedis) : await this.startRedis()),
      async () => (this.natsUrl = process.env['NATS_URL'] || (await this.startNats())),
    ]);
    return !(await hasTables(this.databaseUrl, caFile));
  }

  /** Starts the control plane, the platform API and, without LLM_GATEWAY_URL, the development model gateway. */
  async startApis(bootstrapAdminKey: string | undefined): Promise<void> {
    this.options.onStep('Starting the control plane and the platform API');
    const gateway = await this.startModelGateway();
    this.defaultModel = gateway['DEFAULT_MODEL'] || undefined;
    const { controlPlane, platformApi } = this.options;
    const { DATABASE_DIRECT_URL, DATABASE_REPLICA_URL, OPA_URL, OPA_TOKEN, SECRETS_KEY_PREVIOUS } = process.env;
    const sharedSettings = {
      DATABASE_URL: this.databaseUrl,
      DATABASE_DIRECT_URL,
      DATABASE_REPLICA_URL,
      REDIS_URL: this.redisUrl,
      REDIS_SENTINEL_PASSWORD: process.env['REDIS_SENTINEL_PASSWORD'],
      NATS_URL: this.natsUrl,
      OPA_URL,
      OPA_TOKEN,
      BOOTSTRAP_ADMIN_KEY: bootstrapAdminKey,
    };
    const controlPlaneApp = this.startApp('control-plane', 'bundles/control-plane', {
      ...sharedSettings,
      ...gateway,
      CONTROL_PLANE_PORT: String(controlPlane.port),
      SECRETS_KEY: secretsKey(this.options.dataDir),
      SECRETS_KEY_PREVIOUS,
      DEFAULT_QUEUE_HEARTBEAT_SECONDS: process.env['DEFAULT_QUEUE_HEARTBEAT_SECONDS'] || START_HEARTBEAT_SECONDS,
      PUBLIC_URL: process.env['PUBLIC_URL'] || controlPlane.url,
      PLATFORM_API_URL: process.env['PLATFORM_API_URL'] || platformApi.url,
      PUBLIC_PLATFORM_API_URL: process.env['PUBLIC_PLATFORM_API_URL'] || platformApi.url,
    });
    const platformApiApp = this.startApp('platform-api', 'bundles/platform-api', {
      ...sharedSettings,
      PLATFORM_API_PORT: String(platformApi.port),
      PUBLIC_URL: process.env['PUBLIC_URL'] || controlPlane.url,
    });
    await this.runConcurrently([
      () => controlPlaneApp.ready(`${controlPlane.url}/api/health/ready`),
      () => platformApiApp.ready(`${platformApi.url}/api/health/ready`),
    ]);
  }

  /** Starts the tool server, if the platform has one. */
  async startToolServer(): Promise<void> {
    const { toolServer, platformApi } = this.options;
    if (toolServer === undefined) return;
    this.options.onStep('Starting the tool server');
    const app = this.startApp('tool-server', 'bundles/tool-server', {
      PLATFORM_API_URL: platformApi.url,
      TOOL_SERVER_PORT: String(toolServer.port),
      SERVICE_API_KEY: process.env['SERVICE_API_KEY'],
    });
    await this.runConcurrently([() => app.ready(`${toolServer.url}/api/health/ready`)]);
  }

  /**
   * Starts a worker and waits until it has registered or the control plane has refused it, for example because its
   * queue does not exist; it then retries until an operator has fixed the cause. Returns its state for the banner.
   */
  async startWorker(apiKey: string): Promise<string> {
    this.options.onStep('Starting a worker');
    const worker = this.startApp('worker', 'bundles/worker', {
      CONTROL_PLANE_URL: this.options.controlPlane.url,
      WORKER_API_KEY: apiKey,
      WORKER_QUEUE: process.env['WORKER_QUEUE'] || 'default',
    });
    let state = '';
    await this.runConcurrently([async () => (state = await worker.printed(/^worker ((?:ready:|waiting) .*)/))]);
    return state;
  }

  /** Stops all parts in order. Idempotent. */
  stop(): Promise<void> {
    this.stopping ??= this.stopParts();
    return this.stopping;
  }

  /** Kills the apps. Postgres and Redis shut down safely when this process exits. */
  kill(): void {
    this.supervisor.killAll();
  }

  private async stopParts(): Promise<void> {
    await this.supervisor.stopAll();
    // Parts that were still starting have been added by then.
    await this.pending.catch(() => undefined);
    await this.supervisor.stopAll();
    this.reaper.dismiss();
  }

  private async startPostgres(): Promise<string> {
    const server = await provisionPostgres({ dataDir: join(this.options.dataDir, 'postgres') });
    this.supervisor.add(serverPart('Postgres', server));
    return server.url;
  }

  private async startRedis(): Promise<string> {
    const server = await provisionRedis({ dataDir: join(this.options.dataDir, 'redis') });
    this.supervisor.add(serverPart('Redis', server));
    return server.url;
  }

  /** Returns undefined unless the setting NATS_SERVER enables the server. */
  private async startNats(): Promise<string | undefined> {
    if (!loadConfig(LauncherConfig).natsServer) return undefined;
    const server = await provisionNats(join(this.options.dataDir, 'nats'));
    this.supervisor.add(serverPart('NATS', server));
    return server.url;
  }

  private async startModelGateway(): Promise<Record<string, string | undefined>> {
    const { LLM_GATEWAY_URL: url, LLM_GATEWAY_API_KEY: key, DEFAULT_MODEL: model } = process.env;
    if (url) return { LLM_GATEWAY_URL: url, LLM_GATEWAY_API_KEY: key, DEFAULT_MODEL: model };
    const gateway = this.startApp('model-gateway', 'tools/model-gateway/main', { MODEL_GATEWAY_PORT: '0' });
    let address = '';
    await this.runConcurrently([async () => (address = await gateway.printed(/listening on (http:\S+)/))]);
    gateway.setEnv({ MODEL_GATEWAY_PORT: new URL(address).port });
    return { LLM_GATEWAY_URL: `${address}/v1`, DEFAULT_MODEL: model || 'development-model' };
  }

  private startApp(name: string, entry: string, env: Record<string, string | undefined>): AppPart {
    if (this.stopping !== undefined) throw new StoppedError();
    const logFile = join(this.options.dataDir, 'logs', `${name}.log`);
    const command = { name, entry, env: environmentFor(env), logFile, onLine: this.options.onLine };
    const app = new AppPart(command, this.reaper);
    this.supervisor.add(app);
    return app;
  }

  /** Runs steps concurrently and rejects only after all have settled, so that every started part is known. */
  private async runConcurrently(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
    if (this.stopping !== undefined) throw new StoppedError();
    const settling = Promise.allSettled(steps.map((step) => step()));
    this.pending = settling;
    const failure = (await settling).find((result) => result.status === 'rejected');
    if (this.stopping !== undefined) throw new StoppedError();
    if (failure !== undefined) throw failure.reason;
  }
}

function serverPart(name: string, server: ProvisionedServer): Part {
  return {
    name,
    get exited() {
      return server.exited;
    },
    restart: () => server.restart(),
    stop: () => server.stop(),
    lastLines: () => lastLines(readLog(server.logFile), MAX_LOG_LINES),
  };
}

/** Thrown by a start that was interrupted by `stop`; not a failure to report. */
export class StoppedError extends Error {}

/** Returns the URL after the check has passed. */
async function checkedUrl(url: string, check: (url: string) => Promise<void>): Promise<string> {
  await check(url);
  return url;
}
