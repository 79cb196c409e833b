// `npm run demo`: a platform of its own on free ports, one agent, one job, one run of it, and the end of it all.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../provision/free-port.js';
import { describeFailure } from '../provision/provision-error.js';
import { newAdminKey } from '../start/admin-key.js';
import { lockDataFolder } from '../start/data-folder-lock.js';
import { Platform } from '../start/platform.js';
import { addressAt, dataFolder } from '../start/settings.js';
import { preflight } from '../start/preflight.js';
import { onShutdownRequest } from '../start/shutdown.js';
import { workerKey } from '../start/worker-key.js';
import { DemoControlPlane } from './control-plane.js';
import { tell } from './story.js';

const started = performance.now();
const say = (line: string): void => console.log(line === '' ? '' : `    ${line}`);
const step = (line: string): void => console.log(`==> ${line}`);

let interrupted = false;
let dataDir = '';
process.exitCode =
  preflight('demo', process.argv.slice(2)) ??
  (await run().catch((error: unknown) => {
    console.error(describeFailure(error));
    return 1;
  }));

async function run(): Promise<number> {
  dataDir = join(dataFolder(), 'demo');
  const unlock = lockDataFolder(dataDir);
  const controlPlane = addressAt(await freePort());
  const platformApi = addressAt(await freePort());
  const platform = new Platform({ dataDir, controlPlane, platformApi, onLine: () => undefined, onStep: step });
  onShutdownRequest({
    stop: () => {
      interrupted = true;
      void platform.stop();
    },
    force: () => {
      platform.kill();
      process.exit(130);
    },
  });
  try {
    await Promise.race([demonstrate(platform, controlPlane.url), platform.failed]);
    return 0;
  } catch (error) {
    if (interrupted) return 130;
    console.error(`The demo failed. ${describeFailure(error)}`);
    console.error(`  The logs are in ${join(dataDir, 'logs')}.`);
    return 1;
  } finally {
    await platform.stop();
    unlock();
  }
}

async function demonstrate(platform: Platform, address: string): Promise<void> {
  await platform.startServers();
  const adminKey = await keptAdminKey();
  await platform.startApis(adminKey);
  await platform.startWorker(await workerKey(dataDir, platform.databaseUrl, address));
  step(`The platform is up after ${elapsed()}: ${address} (data in ${dataDir})`);
  await tell(new DemoControlPlane(address, adminKey), say);
  step('Stopping');
  await platform.stop();
  step(`Done after ${elapsed()}. "npm start" runs a platform that stays.`);
}

/** One admin key for all demos on a data folder, so that they do not pile up. */
async function keptAdminKey(): Promise<string> {
  const path = join(dataDir, 'admin-key');
  if (existsSync(path)) return readFileSync(path, 'utf8').trim();
  const key = await newAdminKey();
  writeFileSync(path, `${key}\n`, { mode: 0o600 });
  return key;
}

function elapsed(): string {
  return `${((performance.now() - started) / 1000).toFixed(1)} s`;
}
