import { createControlPlaneClient, type ControlPlaneClient } from '@app/api-client';
import { IdentityModule, OrganizationService } from '@app/identity';
import { newId } from '@app/kernel';
import {
  createTestContext,
  createTestDatabase,
  flushTestRedis,
  lastingRedisUrl,
  testRedisUrl,
  type TestContext,
} from '@app/testing';
import type { EventEmitter } from 'node:events';
import pg from 'pg';
import { freePort } from '../../tools/provision/free-port.js';
import { TestedApp, type AppOptions } from './tested-app.js';
import { contractChecks, registerApi } from './published-apis.js';
import { recordSecret } from './run-record.js';

export interface PlatformOptions {
  /** Number of control planes. Default 1. */
  readonly controlPlanes?: number;
  /** Number of separate dispatchers. With any, the control planes have the role `http`. Default 0. */
  readonly dispatchers?: number;
  /** Whether to start the platform API, or the number of its processes. Default: none. */
  readonly platformApi?: boolean | number;
  /** Starts the development model gateway, for executions that call a model. */
  readonly modelGateway?: boolean;
  /** Environment variables of every process. */
  readonly env?: Readonly<Record<string, string>>;
  /** A separate Redis server, which the test can kill. */
  readonly redisUrl?: string;
  /** An empty database on a separate PostgreSQL server, which the test can kill. */
  readonly databaseUrl?: string;
}

export interface RunningApp {
  readonly url: string;
  readonly process: TestedApp;
}

/** A worker process and its worker id. */
export interface WorkerApp {
  readonly id: string;
  readonly process: TestedApp;
}

export interface Organization {
  readonly id: string;
  readonly adminKey: string;
}

const BOOTSTRAP_KEY = 'bootstrap-key-of-the-tests';
const SECRETS_KEY = Buffer.from('the-key-of-secrets-in-the-tests.').toString('base64');
/** Workers repeat failed requests to the model gateway at once. */
const FAST_RETRIES = { MODEL_RETRIES: '2', MODEL_RETRY_MAX_DELAY_MS: '50' };
const CONTROL_PLANE = 'dist/bundles/control-plane.js';
/** More requests than a test sends; the tests of limits set others. */
const AMPLE = '1000000';
/** Returns 200 as soon as the server listens, even if its stores are unavailable. */
const LIVE = '/api/health/live';

/** An origin whose pages may call the shared platform. */
export const CONSOLE_ORIGIN = 'https://console.example.com';
/** A setting of the shared platform. */
const LLM_GATEWAY_API_KEY = 'the-key-of-the-model-gateway';

/** The settings of the shared platform: those of `npm start`, and those that several test files need. */
const SHARED: PlatformOptions = {
  platformApi: true,
  modelGateway: true,
  env: {
    DEFAULT_MODEL: 'development-model',
    LLM_GATEWAY_API_KEY,
    PLATFORM_API_URL: 'https://platform.example.com',
    CORS_ORIGINS: `http://localhost:5173, ${CONSOLE_ORIGIN}`,
    // Tests set the address of a client with `X-Forwarded-For`.
    TRUST_PROXY: 'loopback',
    // Some tests send more requests than an organization may send.
    FAIR_SHARE_PER_SECOND: '0',
  },
};
/** The shared platform of this Jest worker. */
let lasting: Platform | undefined;
/** Creates organizations on the shared platform. */
let lastingIdentity: TestContext | undefined;

/** The platform as in production: built applications as processes, and real stores. */
export class Platform {
  readonly controlPlanes: RunningApp[] = [];
  readonly dispatchers: RunningApp[] = [];
  readonly workers: WorkerApp[] = [];
  readonly platformApis: RunningApp[] = [];
  gatewayUrl: string | undefined;
  private readonly stopping = new AbortController();
  private readonly others: TestedApp[] = [];

  private constructor(
    private readonly env: Readonly<Record<string, string>>,
    readonly databaseUrl: string,
    private readonly dropDatabase: () => Promise<void>,
    readonly adminKey: string = BOOTSTRAP_KEY,
    /** The platform whose servers this one uses, if it is shared. */
    private readonly base?: Platform,
  ) {}

  /**
   * Returns the platform that the test files of this Jest worker share (a control plane, a platform API and a model
   * gateway), with an organization and an admin key of the test file. Workers and control planes that the file starts
   * end with it. A file must start a platform of its own to end, restart or pause servers, to change their settings, or
   * to read or change what belongs to no organization (metrics, keys of Redis, rows of all organizations).
   */
  static async shared(): Promise<Platform> {
    const base = (lasting ??= await Platform.startLasting());
    const { adminKey } = await newOrganization(base.databaseUrl, uniqueName('shared'));
    const platform = new Platform(base.env, base.databaseUrl, () => Promise.resolve(), adminKey, base);
    platform.gatewayUrl = base.gatewayUrl;
    platform.controlPlanes.push(...base.controlPlanes);
    platform.platformApis.push(...base.platformApis);
    for (const { url } of base.controlPlanes) registerApi(url, 'control-plane');
    for (const { url } of base.platformApis) registerApi(url, 'platform-api');
    return platform;
  }

  private static async startLasting(): Promise<Platform> {
    const platform = await Platform.start({ ...SHARED, redisUrl: lastingRedisUrl() });
    const apps = [...platform.servers, ...platform.others];
    for (const app of apps) app.endWithThisProcess();
    // Sent by tools/jest/environment.cjs. The database is deleted with the folder of the run.
    (process as EventEmitter).once('no e2e test', () => {
      lasting = undefined;
      for (const app of apps) app.signal('SIGKILL');
      lastingIdentity?.close().catch(() => undefined);
      lastingIdentity = undefined;
    });
    return platform;
  }

  /** Starts a platform with a database of its own. */
  static async start(options: PlatformOptions = {}): Promise<Platform> {
    const own = options.databaseUrl;
    const database =
      own === undefined ? await createTestDatabase() : { url: own, drop: (): Promise<void> => Promise.resolve() };
    if (options.redisUrl === undefined) await flushTestRedis();
    const dispatchers = options.dispatchers ?? 0;
    const env = {
      DATABASE_URL: database.url,
      REDIS_URL: options.redisUrl ?? testRedisUrl(),
      BOOTSTRAP_ADMIN_KEY: BOOTSTRAP_KEY,
      SECRETS_KEY,
      // The servers of tests that receive webhooks.
      WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
      MIGRATE_ON_START: String(own !== undefined),
      DATABASE_POOL_SIZE: '8',
      // Several tests run on one machine, so reads can exceed the default limit.
      DATABASE_READ_TIMEOUT_MS: '15000',
      DATABASE_LONG_READ_TIMEOUT_MS: '15000',
      // Tests kill workers directly after their start.
      LEASE_GRACE_MS: '0',
      RATE_LIMIT_BURST: AMPLE,
      RATE_LIMIT_PER_MINUTE: AMPLE,
      RATE_LIMIT_PER_DAY: AMPLE,
      CONTROL_PLANE_ROLE: dispatchers > 0 ? 'http' : 'all',
      ...options.env,
    };
    const platform = new Platform(env, database.url, () => database.drop());
    if (options.modelGateway === true) await platform.startGateway();
    const starting = [
      ...Array.from({ length: options.controlPlanes ?? 1 }, () => platform.startControlPlane()),
      ...Array.from({ length: dispatchers }, () => platform.startDispatcher()),
      ...Array.from({ length: Number(options.platformApi ?? 0) }, () => platform.startPlatformApi()),
    ];
    await Promise.all(starting);
    return platform;
  }

  /** Aborts when the test is over. */
  get stopped(): AbortSignal {
    return this.stopping.signal;
  }

  /** The URL of the first control plane. */
  get url(): string {
    const [first] = this.controlPlanes;
    if (first === undefined) throw new Error('No control plane runs');
    return first.url;
  }

  /** The first process of the platform API, if there is one. */
  get platformApi(): RunningApp | undefined {
    return this.platformApis[0];
  }

  /** Returns a typed client that checks every response against the published document. */
  client(apiKey: string = this.adminKey, url: string = this.url): ControlPlaneClient {
    const client = createControlPlaneClient({ baseUrl: url, apiKey, retries: null, onNotice: null });
    client.use(contractChecks);
    return client;
  }

  async startControlPlane(env: Readonly<Record<string, string>> = {}): Promise<RunningApp> {
    const running = await this.startServer(env);
    registerApi(running.url, 'control-plane');
    this.controlPlanes.push(running);
    return running;
  }

  async startDispatcher(): Promise<RunningApp> {
    const running = await this.startServer({ CONTROL_PLANE_ROLE: 'dispatcher' });
    this.dispatchers.push(running);
    return running;
  }

  async startWorker(env: Readonly<Record<string, string>> = {}): Promise<WorkerApp> {
    const app = new TestedApp({
      entry: 'dist/bundles/worker.js',
      env: {
        ...this.gatewayEnv(),
        ...FAST_RETRIES,
        CONTROL_PLANE_URL: this.url,
        WORKER_API_KEY: this.adminKey,
        ...env,
      },
      ready: /worker ready/,
    });
    const process = await app.start();
    const id = /worker ready: (\S+)/.exec(process.log())?.[1] ?? '';
    this.workers.push({ id, process });
    return { id, process };
  }

  /** Creates an organization as the admin tool does. Its name is unique, also on a shared platform, unless `exactName`. */
  createOrganization(name: string, { exactName = false } = {}): Promise<Organization> {
    return newOrganization(this.databaseUrl, exactName ? name : uniqueName(name));
  }

  /** Runs a statement on the database of the platform. */
  async sql<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.databaseUrl });
    // The statement fails as well. Without a listener, the error of a server that dies would end the test process.
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(text, [...values])).rows;
    } finally {
      await client.end();
    }
  }

  async stop(): Promise<void> {
    this.stopping.abort(new Error('The test is over'));
    const lastingServers = this.base?.servers ?? [];
    const servers = this.servers;
    const workers = this.workers.map(({ process }) => process);
    if ((globalThis as { testHasFailed?: boolean }).testHasFailed === true) {
      for (const app of [...servers, ...workers]) app.printLog();
    }
    await Promise.all(workers.map((app) => app.end('SIGKILL')));
    const own = servers.filter((app) => !lastingServers.includes(app));
    await Promise.all([...own, ...this.others].map((app) => app.end('SIGKILL')));
    await this.dropDatabase();
    if (lastingServers.every((app) => app.running)) return;
    lasting = undefined;
    await lastingIdentity?.close();
    lastingIdentity = undefined;
    await this.base?.stop();
    throw new Error('A server of the shared platform has ended: a test that ends servers starts a platform of its own');
  }

  private get servers(): TestedApp[] {
    return [...this.controlPlanes, ...this.dispatchers, ...this.platformApis].map(({ process }) => process);
  }

  private startServer(env: Readonly<Record<string, string>>): Promise<RunningApp> {
    return startOnFreePort((port, url) => ({
      entry: CONTROL_PLANE,
      env: { ...this.env, ...this.gatewayEnv(), CONTROL_PLANE_PORT: String(port), ...env },
      ready: `${url}${LIVE}`,
    }));
  }

  private async startPlatformApi(): Promise<void> {
    const running = await startOnFreePort((port, url) => ({
      entry: 'dist/bundles/platform-api.js',
      env: { ...this.env, PLATFORM_API_PORT: String(port) },
      ready: `${url}${LIVE}`,
    }));
    this.platformApis.push(running);
    registerApi(running.url, 'platform-api');
  }

  private async startGateway(): Promise<void> {
    const port = await freePort();
    const app = new TestedApp({
      entry: 'dist/tools/model-gateway/main.js',
      env: { MODEL_GATEWAY_PORT: String(port) },
      ready: /listening on/,
    });
    this.others.push(await app.start());
    this.gatewayUrl = `http://127.0.0.1:${port}/v1`;
  }

  private gatewayEnv(): Record<string, string> {
    return this.gatewayUrl === undefined ? {} : { LLM_GATEWAY_URL: this.gatewayUrl };
  }
}

function uniqueName(name: string): string {
  return `${name} ${newId()}`;
}

/** Creates the organization in this process, which takes a third of the CPU time of the admin tool. */
async function newOrganization(databaseUrl: string, name: string): Promise<Organization> {
  const startContext = (): Promise<TestContext> => createTestContext([IdentityModule], { shareWith: { databaseUrl } });
  if (databaseUrl === lasting?.databaseUrl) return createIn((lastingIdentity ??= await startContext()), name);
  const context = await startContext();
  return createIn(context, name).finally(() => context.close());
}

async function createIn(context: TestContext, name: string): Promise<Organization> {
  const { organization, adminKey } = await context.get(OrganizationService).create(name, {});
  recordSecret(adminKey.key);
  return { id: organization.id, adminKey: adminKey.key };
}

/** Starts a server on a free port; on another one if a server of another test binds that port first. */
async function startOnFreePort(optionsFor: (port: number, url: string) => AppOptions): Promise<RunningApp> {
  for (;;) {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const app = new TestedApp(optionsFor(port, url));
    try {
      return { url, process: await app.start() };
    } catch (error) {
      if (!app.log().includes(`port ${port} is in use`)) throw error;
    }
  }
}
