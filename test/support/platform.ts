import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createControlPlaneClient, type ControlPlaneClient } from '@app/api-client';
import { createTestDatabase, flushTestRedis, testRedisUrl } from '@app/testing';
import pg from 'pg';
import { freePort } from '../../tools/provision/free-port.js';
import { AppProcess } from './app-process.js';
import { contractChecks, publishes } from './published-apis.js';

export interface PlatformOptions {
  /** How many control planes share the stores. Default 1. */
  readonly controlPlanes?: number;
  /** How many dispatchers run beside them. With any, the control planes only answer requests. Default 0. */
  readonly dispatchers?: number;
  readonly platformApi?: boolean;
  /** A development model gateway, for runs that need a model. */
  readonly modelGateway?: boolean;
  /** For every process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Another Redis than the test run's: one that the test may kill. */
  readonly redisUrl?: string;
  /** Another Postgres than the test run's: an empty database on a server that the test may kill. */
  readonly databaseUrl?: string;
}

export interface RunningApp {
  readonly url: string;
  readonly process: AppProcess;
}

/** A worker process, and the id the control plane knows it by. */
export interface WorkerApp {
  readonly id: string;
  readonly process: AppProcess;
}

export interface Organization {
  readonly id: string;
  readonly adminKey: string;
}

const ADMIN_KEY = 'bootstrap-key-of-the-tests';
const ADMIN_TOOL = join(__dirname, '..', '..', 'dist/tools/admin/main.js');
const CONTROL_PLANE = 'dist/apps/control-plane/src/main.js';
/** Answers as soon as the server listens, whether its stores are there or not. */
const LIVE = '/api/health/live';

/** The platform as its users run it: built applications, real stores, one database per test file. */
export class Platform {
  readonly adminKey = ADMIN_KEY;
  readonly controlPlanes: RunningApp[] = [];
  readonly dispatchers: RunningApp[] = [];
  readonly workers: WorkerApp[] = [];
  platformApi: RunningApp | undefined;
  gatewayUrl: string | undefined;
  private readonly stopping = new AbortController();
  private readonly others: AppProcess[] = [];

  private constructor(
    private readonly env: Readonly<Record<string, string>>,
    readonly databaseUrl: string,
    private readonly dropDatabase: () => Promise<void>,
  ) {}

  static async start(options: PlatformOptions = {}): Promise<Platform> {
    const own = options.databaseUrl;
    const database =
      own === undefined ? await createTestDatabase() : { url: own, drop: (): Promise<void> => Promise.resolve() };
    if (options.redisUrl === undefined) await flushTestRedis();
    const dispatchers = options.dispatchers ?? 0;
    const env = {
      DATABASE_URL: database.url,
      REDIS_URL: options.redisUrl ?? testRedisUrl(),
      BOOTSTRAP_ADMIN_KEY: ADMIN_KEY,
      MIGRATE_ON_START: String(own !== undefined),
      DATABASE_POOL_SIZE: '8',
      // Tests that kill workers do it just after the start.
      LEASE_GRACE_MS: '0',
      CONTROL_PLANE_ROLE: dispatchers > 0 ? 'http' : 'all',
      ...options.env,
    };
    const platform = new Platform(env, database.url, () => database.drop());
    if (options.modelGateway === true) await platform.startGateway();
    for (let n = 0; n < (options.controlPlanes ?? 1); n += 1) await platform.startControlPlane();
    for (let n = 0; n < dispatchers; n += 1) await platform.startDispatcher();
    if (options.platformApi === true) await platform.startPlatformApi();
    return platform;
  }

  /** Aborted when the test is over. */
  get stopped(): AbortSignal {
    return this.stopping.signal;
  }

  /** The first control plane's address. */
  get url(): string {
    const [first] = this.controlPlanes;
    if (first === undefined) throw new Error('No control plane runs');
    return first.url;
  }

  /** Every answer it gets is held against the published document. */
  client(apiKey: string = this.adminKey, url: string = this.url): ControlPlaneClient {
    const client = createControlPlaneClient({ baseUrl: url, apiKey, retries: null });
    client.use(contractChecks);
    return client;
  }

  async startControlPlane(env: Readonly<Record<string, string>> = {}): Promise<RunningApp> {
    const running = await this.startServer(env);
    publishes(running.url, 'control-plane');
    this.controlPlanes.push(running);
    return running;
  }

  async startDispatcher(): Promise<RunningApp> {
    const running = await this.startServer({ CONTROL_PLANE_ROLE: 'dispatcher' });
    this.dispatchers.push(running);
    return running;
  }

  async startWorker(env: Readonly<Record<string, string>> = {}): Promise<WorkerApp> {
    const app = new AppProcess({
      entry: 'dist/apps/worker/src/main.js',
      env: { ...this.gatewayEnv(), CONTROL_PLANE_URL: this.url, WORKER_API_KEY: this.adminKey, ...env },
      ready: /worker ready/,
    });
    const process = await app.start();
    const id = /worker ready: (\S+)/.exec(process.log())?.[1] ?? '';
    this.workers.push({ id, process });
    return { id, process };
  }

  /** Another organisation, made as an operator makes it. */
  createOrganization(name: string): Organization {
    const { status, stdout, stderr } = spawnSync(process.execPath, [ADMIN_TOOL, 'create-org', '--name', name], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], DATABASE_URL: this.databaseUrl },
    });
    if (status !== 0) throw new Error(stderr);
    const made = JSON.parse(stdout) as { organization_id: string; api_key: string };
    return { id: made.organization_id, adminKey: made.api_key };
  }

  /** What the database says, asked beside the applications. */
  async sql<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.databaseUrl });
    await client.connect();
    try {
      return (await client.query<Row>(text, [...values])).rows;
    } finally {
      await client.end();
    }
  }

  async stop(): Promise<void> {
    this.stopping.abort(new Error('The test is over'));
    const api = this.platformApi === undefined ? [] : [this.platformApi];
    const servers = [...this.controlPlanes, ...this.dispatchers, ...api].map(({ process }) => process);
    const workers = this.workers.map(({ process }) => process);
    if ((globalThis as { testHasFailed?: boolean }).testHasFailed === true) {
      for (const app of [...servers, ...workers]) app.tellStory();
    }
    await Promise.all(workers.map((app) => app.kill('SIGKILL')));
    await Promise.all([...servers, ...this.others].map((app) => app.kill('SIGKILL')));
    await this.dropDatabase();
  }

  private async startServer(env: Readonly<Record<string, string>>): Promise<RunningApp> {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const app = new AppProcess({
      entry: CONTROL_PLANE,
      env: { ...this.env, ...this.gatewayEnv(), CONTROL_PLANE_PORT: String(port), ...env },
      ready: `${url}${LIVE}`,
    });
    return { url, process: await app.start() };
  }

  private async startPlatformApi(): Promise<void> {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const app = new AppProcess({
      entry: 'dist/apps/platform-api/src/main.js',
      env: { ...this.env, PLATFORM_API_PORT: String(port) },
      ready: `${url}${LIVE}`,
    });
    this.platformApi = { url, process: await app.start() };
    publishes(url, 'platform-api');
  }

  private async startGateway(): Promise<void> {
    const port = await freePort();
    const app = new AppProcess({
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
