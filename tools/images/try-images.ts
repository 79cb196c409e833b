import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DemoControlPlane } from '../demo/control-plane.js';
import { runScenario } from '../demo/scenario.js';
import { createModelGateway } from '../model-gateway/server.js';
import { freePort } from '../provision/free-port.js';
import { isReady } from '../provision/is-ready.js';
import { provisionPostgres } from '../provision/postgres.js';
import { ProvisionError } from '../provision/provision-error.js';
import { provisionRedis } from '../provision/redis.js';
import { lastLines, readLog } from '../provision/server-log.js';
import { waitUntil } from '../provision/wait-until.js';
import { newAdminKey, secretsKey, workerKey } from '../start/keys.js';
import { addressAt, type ServerAddress } from '../start/settings.js';
import { type Builder } from './builder.js';
import { type Container, faultOfRuntime, startContainer } from './container.js';
import type { ImageName } from './images.js';

const READY = { timeoutMs: 60_000, intervalMs: 100 };
const STOP_GRACE_MS = 30_000;
const SHOWN_LINES = 12;

export interface Trial {
  readonly builder: Builder;
  readonly reference: (name: ImageName) => string;
  readonly print: (line: string) => void;
}

/**
 * Starts a container of each image with a PostgreSQL, a Redis and a model of its own, runs the scenario of the demo, and
 * stops the containers. Throws if one of them does not become ready, fails, or does not exit with 0 after SIGTERM.
 */
export async function tryImages(trial: Trial): Promise<void> {
  const fault = faultOfRuntime(trial.builder);
  if (fault !== undefined) throw new ProvisionError('The images cannot be tried here.', `Reason: ${fault}.`);
  const folder = mkdtempSync(join(tmpdir(), 'try-images-'));
  const cleanUps: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  try {
    await runTrial(new Containers(trial, join(folder, 'containers'), cleanUps), await startStores(folder, cleanUps));
  } finally {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  }
}

interface Stores {
  readonly folder: string;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly modelUrl: string;
}

async function startStores(folder: string, cleanUps: (() => unknown)[]): Promise<Stores> {
  // The user of PostgreSQL must reach its folder.
  const data = join('/tmp', `${folder.split('/').at(-1)}-data`);
  mkdirSync(data, { mode: 0o755 });
  cleanUps.push(() => rmSync(data, { recursive: true, force: true }));
  const postgres = await provisionPostgres({ dataDir: join(data, 'postgres'), durableInit: false });
  cleanUps.push(() => postgres.stop());
  const redis = await provisionRedis({ dataDir: join(data, 'redis') });
  cleanUps.push(() => redis.stop());
  const gateway = createModelGateway({ apiKey: null }).listen(0, '127.0.0.1');
  await once(gateway, 'listening');
  cleanUps.push(() => (gateway.closeAllConnections(), gateway.close()));
  const modelUrl = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/v1`;
  return { folder, databaseUrl: postgres.url, redisUrl: redis.url, modelUrl };
}

async function runTrial(containers: Containers, stores: Stores): Promise<void> {
  const adminKey = await newAdminKey();
  const ports = [await freePort(), await freePort(), await freePort(), await freePort()] as const;
  const [controlPlane, dispatcher, platformApi, toolServer] = ports.map((port) => addressAt(port)) as [
    ServerAddress,
    ServerAddress,
    ServerAddress,
    ServerAddress,
  ];
  const shared = {
    DATABASE_URL: stores.databaseUrl,
    REDIS_URL: stores.redisUrl,
    BOOTSTRAP_ADMIN_KEY: adminKey,
    LLM_GATEWAY_URL: stores.modelUrl,
    DEFAULT_MODEL: 'development-model',
    PUBLIC_URL: controlPlane.url,
    PLATFORM_API_URL: platformApi.url,
  };
  const secrets = { SECRETS_KEY: secretsKey(stores.folder) };
  const server = (prefix: string, { port }: ServerAddress): Record<string, string> => ({
    [`${prefix}_HOST`]: '127.0.0.1',
    [`${prefix}_PORT`]: String(port),
  });
  const role = (name: string, at: ServerAddress): Record<string, string> => ({
    ...shared,
    ...secrets,
    ...server('CONTROL_PLANE', at),
    CONTROL_PLANE_ROLE: name,
  });
  await containers.start('control-plane', 'control-plane', role('http', controlPlane));
  await containers.start('dispatcher', 'control-plane', role('dispatcher', dispatcher));
  await containers.start('platform-api', 'platform-api', { ...shared, ...server('PLATFORM_API', platformApi) });
  await containers.start('tool-server', 'tool-server', {
    PLATFORM_API_URL: platformApi.url,
    ...server('TOOL_SERVER', toolServer),
  });
  for (const { url } of [controlPlane, dispatcher, platformApi, toolServer]) {
    await containers.becomesReady(`${url}/api/health/ready`);
  }
  for (const { url } of [controlPlane, platformApi]) {
    await requirePage(`${url}/api/docs`);
    await requirePage(`${url}/api/docs/swagger-ui-bundle.js`);
  }
  await requirePage(`${controlPlane.url}/console/`);
  const key = await workerKey(stores.folder, stores.databaseUrl, controlPlane.url);
  await containers.start('worker', 'worker', { CONTROL_PLANE_URL: controlPlane.url, WORKER_API_KEY: key });
  await containers.prints('worker', /^worker ready: /m);
  await runScenario(new DemoControlPlane(controlPlane.url, adminKey), {
    step: containers.print,
    detail: () => undefined,
  });
  await containers.stopAll();
}

async function requirePage(url: string): Promise<void> {
  const response = await fetch(url);
  await response.body?.cancel();
  if (response.status !== 200) throw new Error(`GET ${url} returned ${response.status}`);
}

/** The containers of a trial, which clean up after themselves in every case. */
class Containers {
  private readonly started: Container[] = [];

  constructor(
    private readonly trial: Trial,
    private readonly folder: string,
    private readonly cleanUps: (() => unknown)[],
  ) {}

  get print(): (line: string) => void {
    return this.trial.print;
  }

  async start(name: string, image: ImageName, env: Readonly<Record<string, string>>): Promise<void> {
    const { builder, reference } = this.trial;
    const container = await startContainer(builder, { name, reference: reference(image), env, folder: this.folder });
    this.started.push(container);
    this.cleanUps.push(async () => {
      await container.running.stop('SIGTERM', STOP_GRACE_MS);
      await container.remove();
    });
  }

  async becomesReady(url: string): Promise<void> {
    await this.waitFor(url, () => isReady(url));
    this.print(`${url} returns 200`);
  }

  async prints(name: string, pattern: RegExp): Promise<void> {
    const { logFile } = this.named(name);
    await this.waitFor(`${name} to print ${pattern}`, async () => pattern.test(readLog(logFile)));
  }

  /** In reverse order of their starts, as `npm start` stops them. */
  async stopAll(): Promise<void> {
    for (const { name, running, logFile } of this.started.toReversed()) {
      await running.stop('SIGTERM', STOP_GRACE_MS);
      const { code, signal } = await running.exited;
      if (code !== 0) throw new Error(`${name} exited with ${code ?? signal} after SIGTERM\n${tailOf(logFile)}`);
      this.print(`${name} exited with 0 after SIGTERM`);
    }
  }

  private async waitFor(what: string, isTrue: () => Promise<boolean>): Promise<void> {
    const outcome = await waitUntil(async () => {
      const ended = this.started.find(({ running }) => !running.running);
      if (ended !== undefined) throw new Error(`${ended.name} has ended\n${tailOf(ended.logFile)}`);
      return (await isTrue()) || undefined;
    }, READY);
    if (outcome !== undefined) return;
    const logs = this.started.map(({ name, logFile }) => `${name}:\n${tailOf(logFile)}`);
    throw new Error(`Waited in vain for ${what}\n${logs.join('\n')}`);
  }

  private named(name: string): Container {
    const container = this.started.find((candidate) => candidate.name === name);
    if (container === undefined) throw new Error(`No container ${name}`);
    return container;
  }
}

function tailOf(logFile: string): string {
  return lastLines(readLog(logFile), SHOWN_LINES).join('\n');
}
