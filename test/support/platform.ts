import { createControlPlaneClient, type ControlPlaneClient } from '@app/api-client';
import { createTestDatabase, flushTestRedis, testRedisUrl } from '@app/testing';
import { freePort } from '../../tools/provision/free-port.js';
import { AppProcess } from './app-process.js';

export interface PlatformOptions {
  /** How many control planes share the stores. Default 1. */
  readonly controlPlanes?: number;
  readonly platformApi?: boolean;
  /** A development model gateway, for runs that need a model. */
  readonly modelGateway?: boolean;
  /** For every process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Another Redis than the test run's: one that the test may kill. */
  readonly redisUrl?: string;
}

export interface RunningApp {
  readonly url: string;
  readonly process: AppProcess;
}

const ADMIN_KEY = 'bootstrap-key-of-the-tests';

/** The platform as its users run it: built applications, real stores, one database per test file. */
export class Platform {
  readonly adminKey = ADMIN_KEY;
  readonly controlPlanes: RunningApp[] = [];
  readonly workers: AppProcess[] = [];
  platformApi: RunningApp | undefined;
  gatewayUrl: string | undefined;
  private readonly others: AppProcess[] = [];

  private constructor(
    private readonly env: Readonly<Record<string, string>>,
    readonly databaseUrl: string,
    private readonly dropDatabase: () => Promise<void>,
  ) {}

  static async start(options: PlatformOptions = {}): Promise<Platform> {
    const database = await createTestDatabase();
    if (options.redisUrl === undefined) await flushTestRedis();
    const env = {
      DATABASE_URL: database.url,
      REDIS_URL: options.redisUrl ?? testRedisUrl(),
      BOOTSTRAP_ADMIN_KEY: ADMIN_KEY,
      MIGRATE_ON_START: 'false',
      DATABASE_POOL_SIZE: '8',
      ...options.env,
    };
    const platform = new Platform(env, database.url, () => database.drop());
    if (options.modelGateway === true) await platform.startGateway();
    for (let n = 0; n < (options.controlPlanes ?? 1); n += 1) await platform.startControlPlane();
    if (options.platformApi === true) await platform.startPlatformApi();
    return platform;
  }

  /** The first control plane's address. */
  get url(): string {
    const [first] = this.controlPlanes;
    if (first === undefined) throw new Error('No control plane runs');
    return first.url;
  }

  client(apiKey: string = this.adminKey, url: string = this.url): ControlPlaneClient {
    return createControlPlaneClient({ baseUrl: url, apiKey, retries: null });
  }

  async startControlPlane(env: Readonly<Record<string, string>> = {}): Promise<RunningApp> {
    const port = await freePort();
    const app = new AppProcess({
      entry: 'dist/apps/control-plane/src/main.js',
      env: { ...this.env, ...this.gatewayEnv(), CONTROL_PLANE_PORT: String(port), ...env },
      ready: /control-plane listening on/,
    });
    const running = { url: `http://127.0.0.1:${port}`, process: await app.start() };
    this.controlPlanes.push(running);
    return running;
  }

  async startWorker(env: Readonly<Record<string, string>> = {}): Promise<AppProcess> {
    const worker = new AppProcess({
      entry: 'dist/apps/worker/src/main.js',
      env: { ...this.gatewayEnv(), CONTROL_PLANE_URL: this.url, WORKER_API_KEY: this.adminKey, ...env },
      ready: /worker ready/,
    });
    this.workers.push(await worker.start());
    return worker;
  }

  async stop(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.kill('SIGKILL')));
    const servers = [...this.controlPlanes, ...(this.platformApi === undefined ? [] : [this.platformApi])];
    await Promise.all([...servers.map(({ process }) => process), ...this.others].map((app) => app.kill('SIGKILL')));
    await this.dropDatabase();
  }

  private async startPlatformApi(): Promise<void> {
    const port = await freePort();
    const app = new AppProcess({
      entry: 'dist/apps/platform-api/src/main.js',
      env: { ...this.env, PLATFORM_API_PORT: String(port) },
      ready: /platform-api listening on/,
    });
    this.platformApi = { url: `http://127.0.0.1:${port}`, process: await app.start() };
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
