import { join } from 'node:path';
import { makeFolder } from '../provision/make-folder.js';
import { provisionPostgres, type PostgresServer } from '../provision/postgres.js';
import { checkPostgres, hasTables } from '../provision/postgres-connection.js';
import { checkRedis } from '../provision/redis-connection.js';
import { provisionRedis, type RedisServer } from '../provision/redis.js';
import { lastLines, readLog } from '../provision/server-log.js';
import { AppPart } from './app-part.js';
import { Reaper } from './reaper.js';
import { environmentFor, unusedSettings, type ServerAddress } from './settings.js';
import { Supervisor, type Part } from './supervisor.js';

export interface PlatformOptions {
  readonly dataDir: string;
  readonly controlPlane: ServerAddress;
  readonly platformApi: ServerAddress;
  /** Every line that an app prints, as it comes. */
  readonly onLine: (name: string, line: string) => void;
  /** What is being done now, for the person who waits. */
  readonly onStep: (step: string) => void;
}

/**
 * The servers and apps of one platform. Parts stop in the reverse of the order in which they started: worker, platform
 * API, control plane, model gateway, Redis, Postgres. `stop` may come at any time, also in the middle of a start.
 */
export class Platform {
  databaseUrl = '';
  redisUrl = '';
  private readonly supervisor: Supervisor;
  private readonly reaper = new Reaper();
  private stopping: Promise<void> | undefined;
  private pending: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: PlatformOptions) {
    this.supervisor = new Supervisor({ onStep: options.onStep });
    makeFolder(join(options.dataDir, 'logs'), 0o700);
  }

  /** Rejects when a part ends during the start. */
  get failed(): Promise<never> {
    return this.supervisor.failed;
  }

  /** The start is over: a part that ends from now on is started again. */
  allUp(): void {
    this.supervisor.allUp();
  }

  /** Postgres and Redis, of our own or those that the environment names. Answers whether the database is empty. */
  async startServers(): Promise<boolean> {
    const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = process.env;
    for (const unused of unusedSettings()) this.options.onStep(unused);
    this.options.onStep(databaseUrl && redisUrl ? 'Checking Postgres and Redis' : 'Starting Postgres and Redis');
    await this.together([
      async () =>
        (this.databaseUrl = databaseUrl ? await checked(databaseUrl, checkPostgres) : await this.startPostgres()),
      async () => (this.redisUrl = redisUrl ? await checked(redisUrl, checkRedis) : await this.startRedis()),
    ]);
    return !(await hasTables(this.databaseUrl));
  }

  /** Control plane and platform API, and the development gateway unless the environment names another. */
  async startApis(bootstrapAdminKey: string | undefined): Promise<void> {
    this.options.onStep('Starting the control plane and the platform API');
    const gateway = await this.startModelGateway();
    const { controlPlane, platformApi } = this.options;
    const { OPA_URL, OPA_TOKEN } = process.env;
    const both = {
      DATABASE_URL: this.databaseUrl,
      REDIS_URL: this.redisUrl,
      OPA_URL,
      OPA_TOKEN,
      BOOTSTRAP_ADMIN_KEY: bootstrapAdminKey,
    };
    const first = this.startApp('control-plane', 'apps/control-plane/src/main', {
      ...both,
      ...gateway,
      CONTROL_PLANE_PORT: String(controlPlane.port),
      PUBLIC_URL: process.env['PUBLIC_URL'] || controlPlane.url,
    });
    const second = this.startApp('platform-api', 'apps/platform-api/src/main', {
      ...both,
      PLATFORM_API_PORT: String(platformApi.port),
    });
    await this.together([
      () => first.ready(`${controlPlane.url}/api/health/ready`),
      () => second.ready(`${platformApi.url}/api/health/ready`),
    ]);
  }

  /** A worker that has registered and takes work. */
  async startWorker(apiKey: string): Promise<void> {
    this.options.onStep('Starting a worker');
    const worker = this.startApp('worker', 'apps/worker/src/main', {
      CONTROL_PLANE_URL: this.options.controlPlane.url,
      WORKER_API_KEY: apiKey,
      WORKER_QUEUE: process.env['WORKER_QUEUE'] || 'default',
    });
    await this.together([() => worker.printed(/^worker ready: (\S+)/)]);
  }

  /** Ends everything in order. Twice is once. */
  stop(): Promise<void> {
    this.stopping ??= this.stopParts();
    return this.stopping;
  }

  /** Ends the apps at once. Postgres and Redis end by themselves, safely, when this process exits. */
  kill(): void {
    this.supervisor.killAll();
  }

  private async stopParts(): Promise<void> {
    await this.supervisor.stopAll();
    // What was only just starting joins the parts when it is there.
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

  private async startModelGateway(): Promise<Record<string, string | undefined>> {
    const { LLM_GATEWAY_URL: url, LLM_GATEWAY_API_KEY: key, DEFAULT_MODEL: model } = process.env;
    if (url) return { LLM_GATEWAY_URL: url, LLM_GATEWAY_API_KEY: key, DEFAULT_MODEL: model };
    const gateway = this.startApp('model-gateway', 'tools/model-gateway/main', { MODEL_GATEWAY_PORT: '0' });
    let address = '';
    await this.together([async () => (address = await gateway.printed(/listening on (http:\S+)/))]);
    gateway.keep({ MODEL_GATEWAY_PORT: new URL(address).port });
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

  /** Runs steps side by side, to the end of all of them, and then fails if one did: nothing starts unseen. */
  private async together(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
    if (this.stopping !== undefined) throw new StoppedError();
    const settling = Promise.allSettled(steps.map((step) => step()));
    this.pending = settling;
    const failure = (await settling).find((result) => result.status === 'rejected');
    if (this.stopping !== undefined) throw new StoppedError();
    if (failure !== undefined) throw failure.reason;
  }
}

function serverPart(name: string, server: PostgresServer | RedisServer): Part {
  return {
    name,
    get exited() {
      return server.exited;
    },
    restart: () => server.restart(),
    stop: () => server.stop(),
    lastLines: () => lastLines(readLog(server.logFile), 5),
  };
}

/** Thrown out of a start that was told to stop: no failure to report. */
export class StoppedError extends Error {}

async function checked(url: string, check: (url: string) => Promise<void>): Promise<string> {
  await check(url);
  return url;
}
