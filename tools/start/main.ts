// `npm start`: everything the platform needs, up until Ctrl-C or SIGTERM.
import { join } from 'node:path';
import { describeFailure, ProvisionError } from '../provision/provision-error.js';
import { newAdminKey } from './admin-key.js';
import { lockDataFolder } from './data-folder-lock.js';
import { readableLine } from './log-lines.js';
import { Platform, StoppedError } from './platform.js';
import { preflight } from './preflight.js';
import { removeRunState, writeRunState } from './run-state.js';
import { addressFromEnvironment, dataFolder, type ServerAddress } from './settings.js';
import { onShutdownRequest } from './shutdown.js';
import { isAccepted, workerKey } from './worker-key.js';

const started = performance.now();
// Once a failure was told, what the other parts say while they stop goes to their logs only.
let hasFailed = false;
const developmentModel = 'development model; set LLM_GATEWAY_URL for real ones';
process.exitCode =
  preflight('start', process.argv.slice(2)) ??
  (await run(dataFolder()).catch((error: unknown) => {
    console.error(describeFailure(error));
    return 1;
  }));

async function run(dataDir: string): Promise<number> {
  const unlock = lockDataFolder(dataDir);
  try {
    const controlPlane = await addressFromEnvironment('CONTROL_PLANE', 3000);
    const platformApi = await addressFromEnvironment('PLATFORM_API', 3001);
    const platform = new Platform({
      dataDir,
      controlPlane,
      platformApi,
      onLine: (name, line) => {
        if (!hasFailed) console.log(readableLine(name, line));
      },
      onStep: (step) => console.log(`==> ${step}`),
    });
    return await runPlatform(platform, { dataDir, controlPlane, platformApi });
  } finally {
    removeRunState(dataDir);
    unlock();
  }
}

interface Place {
  readonly dataDir: string;
  readonly controlPlane: ServerAddress;
  readonly platformApi: ServerAddress;
}

async function runPlatform(platform: Platform, place: Place): Promise<number> {
  const stopRequested = new Promise<void>((resolve) => {
    onShutdownRequest({
      stop: (reason) => {
        console.log(`==> Stopping (${reason})`);
        void platform.stop().then(resolve);
      },
      force: () => {
        platform.kill();
        process.exit(130);
      },
    });
  });
  try {
    await Promise.race([bringUp(platform, place), platform.failed]);
    await Promise.race([stopRequested, platform.failed]);
  } catch (error) {
    if (!(error instanceof StoppedError)) {
      hasFailed = true;
      console.error(describeFailure(error));
      await platform.stop();
      return 1;
    }
    await stopRequested;
  }
  console.log('==> Stopped');
  return 0;
}

async function bringUp(platform: Platform, { dataDir, controlPlane, platformApi }: Place): Promise<void> {
  const isNew = await platform.startServers();
  const given = process.env['BOOTSTRAP_ADMIN_KEY'];
  const generated = isNew && !given ? await newAdminKey() : undefined;
  await platform.startApis(given || generated);
  const { databaseUrl, redisUrl } = platform;
  writeRunState(dataDir, { databaseUrl, redisUrl, controlPlaneUrl: controlPlane.url, platformApiUrl: platformApi.url });
  await platform.startWorker(await workerKey(dataDir, databaseUrl, controlPlane.url));
  if (generated !== undefined && !(await isAccepted(generated, controlPlane.url))) {
    throw new ProvisionError(
      'The control plane does not accept the admin key of this first start.',
      `See ${join(dataDir, 'logs')}.`,
    );
  }
  platform.allUp();
  announce(place(), generated);

  function place(): [string, string][] {
    return [
      ['control plane', documented(controlPlane)],
      ['platform API', documented(platformApi)],
      ['models', process.env['LLM_GATEWAY_URL'] ? 'those of LLM_GATEWAY_URL' : developmentModel],
      ['data folder', dataDir],
    ];
  }
}

function documented({ url }: ServerAddress): string {
  return `${url}  (documentation: ${url}/api/docs)`;
}

function announce(lines: readonly (readonly [string, string])[], adminKey: string | undefined): void {
  const key = adminKey === undefined ? [] : [['admin key', `${adminKey}  (shown this once: keep it)`] as const];
  console.log(`==> The platform is up after ${((performance.now() - started) / 1000).toFixed(1)} s`);
  for (const [name, value] of [...lines, ...key]) console.log(`    ${name.padEnd(14)} ${value}`);
  console.log('    Next: README, "A walk with curl". Ctrl-C stops everything.');
}
