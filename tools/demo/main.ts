// `npm run demo`: starts a separate platform on free ports, runs an agent, a team and a workflow, and stops everything.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../provision/free-port.js';
import { describeFailure } from '../provision/provision-error.js';
import { lockDataFolder } from '../start/data-folder-lock.js';
import { Platform } from '../start/platform.js';
import { addressAt, dataFolder } from '../start/settings.js';
import { preflight } from '../start/preflight.js';
import { onShutdownRequest } from '../start/shutdown.js';
import { newAdminKey, workerKey } from '../start/keys.js';
import { DemoControlPlane } from './control-plane.js';
import { runScenario } from './scenario.js';

const started = performance.now();
const printDetail = (line: string): void => console.log(line === '' ? '' : `    ${line}`);
const printStep = (line: string): void => console.log(`==> ${line}`);

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
  const platform = new Platform({ dataDir, controlPlane, platformApi, onLine: () => undefined, onStep: printStep });
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
  const adminKey = await loadOrCreateAdminKey();
  await platform.startApis(adminKey);
  await platform.startWorker(await workerKey(dataDir, platform.databaseUrl, address));
  printStep(`The platform is up after ${elapsed()}: ${address} (data in ${dataDir})`);
  await runScenario(new DemoControlPlane(address, adminKey), { step: printStep, detail: printDetail });
  printStep('Stopping');
  await platform.stop();
  printStep(`Done after ${elapsed()}. Use "npm start" to keep a platform running.`);
}

/** All demos on a data folder share one admin key, so that keys do not accumulate. */
async function loadOrCreateAdminKey(): Promise<string> {
  const path = join(dataDir, 'admin-key');
  if (existsSync(path)) return readFileSync(path, 'utf8').trim();
  const key = await newAdminKey();
  writeFileSync(path, `${key}\n`, { mode: 0o600 });
  return key;
}

function elapsed(): string {
  return `${((performance.now() - started) / 1000).toFixed(1)} s`;
}
