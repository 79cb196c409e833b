// `npm start`: starts the platform with everything it needs and runs it until Ctrl-C or SIGTERM.
import { join } from 'node:path';
import { ControlPlaneConfig, loadConfig, PlatformApiConfig, ToolServerConfig } from '@app/config';
import { describeFailure, ProvisionError } from '../provision/provision-error.js';
import { lockDataFolder } from './data-folder-lock.js';
import { readableLine } from './log-lines.js';
import { Platform, StoppedError } from './platform.js';
import { preflight } from './preflight.js';
import { removeRunState, writeRunState } from './run-state.js';
import { configuredAddress, dataFolder, optionalAddress, type ServerAddress } from './settings.js';
import { onShutdownRequest } from './shutdown.js';
import { forgetAdminKey, isAccepted, unshownAdminKey, workerKey } from './keys.js';

const started = performance.now();
// After a failure has been printed, the output of the stopping parts goes to their log files only.
let hasFailed = false;
const NEW_ADMIN_KEY = 'npm run --silent admin -- create-key --org default --name admin --scopes admin';
const DEVELOPMENT_MODEL_HINT = 'development model; set LLM_GATEWAY_URL for real models';
process.exitCode =
  preflight('start', process.argv.slice(2)) ??
  (await run(dataFolder()).catch((error: unknown) => {
    console.error(describeFailure(error));
    return 1;
  }));

async function run(dataDir: string): Promise<number> {
  const unlock = lockDataFolder(dataDir);
  try {
    const controlPlane = await configuredAddress('CONTROL_PLANE_PORT', loadConfig(ControlPlaneConfig));
    const platformApi = await configuredAddress('PLATFORM_API_PORT', loadConfig(PlatformApiConfig));
    const others = [controlPlane, platformApi];
    const toolServer = await optionalAddress('TOOL_SERVER_PORT', loadConfig(ToolServerConfig), others);
    const platform = new Platform({
      dataDir,
      controlPlane,
      platformApi,
      toolServer,
      onLine: (name, line) => {
        if (!hasFailed) console.log(readableLine(name, line));
      },
      onStep: (step) => console.log(`==> ${step}`),
    });
    return await runPlatform(platform, { dataDir, controlPlane, platformApi, toolServer });
  } finally {
    removeRunState(dataDir);
    unlock();
  }
}

interface PlatformLocation {
  readonly dataDir: string;
  readonly controlPlane: ServerAddress;
  readonly platformApi: ServerAddress;
  readonly toolServer: ServerAddress;
}

async function runPlatform(platform: Platform, location: PlatformLocation): Promise<number> {
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
    await Promise.race([startPlatform(platform, location), platform.failed]);
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

async function startPlatform(
  platform: Platform,
  { dataDir, controlPlane, platformApi, toolServer }: PlatformLocation,
): Promise<void> {
  const isNew = await platform.startServers();
  const configured = process.env['BOOTSTRAP_ADMIN_KEY'];
  const generated = configured ? undefined : await unshownAdminKey(dataDir, isNew);
  await platform.startApis(configured || generated);
  const { databaseUrl, redisUrl, defaultModel } = platform;
  const urls = { databaseUrl, redisUrl, controlPlaneUrl: controlPlane.url, platformApiUrl: platformApi.url };
  writeRunState(dataDir, { ...urls, ...(defaultModel === undefined ? {} : { defaultModel }) });
  await platform.startToolServer();
  const worker = await platform.startWorker(await workerKey(dataDir, databaseUrl, controlPlane.url));
  if (generated !== undefined && !(await isAccepted(generated, controlPlane.url))) {
    throw new ProvisionError(
      'The control plane rejects the admin key that was created for it.',
      `See the logs in ${join(dataDir, 'logs')}.`,
    );
  }
  platform.allUp();
  printBanner([
    ['control plane', withDocsUrl(controlPlane)],
    ['platform API', withDocsUrl(platformApi)],
    ['tool server', `${toolServer.url}/mcp  (MCP)`],
    ['MCP client', mcpClient(toolServer)],
    ['models', process.env['LLM_GATEWAY_URL'] ? 'from LLM_GATEWAY_URL' : DEVELOPMENT_MODEL_HINT],
    ['worker', worker],
    ['web console', `${controlPlane.url}/console/`],
    ['data folder', dataDir],
    ['admin key', adminKeyLine(generated, configured)],
  ]);
  forgetAdminKey(dataDir);
}

function withDocsUrl({ url }: ServerAddress): string {
  return `${url}  (documentation: ${url}/api/docs)`;
}

/** Returns the configuration with which MCP clients connect. */
function mcpClient({ url }: ServerAddress): string {
  return JSON.stringify({ mcpServers: { 'agent-platform': { type: 'http', url: `${url}/mcp` } } });
}

function adminKeyLine(generated: string | undefined, configured: string | undefined): string {
  if (generated !== undefined) return `${generated}  (shown only once: store it)`;
  return configured ? 'BOOTSTRAP_ADMIN_KEY' : `shown at the first start; for another one: ${NEW_ADMIN_KEY}`;
}

function printBanner(lines: readonly (readonly [string, string])[]): void {
  console.log(`==> The platform is up after ${((performance.now() - started) / 1000).toFixed(1)} s`);
  for (const [name, value] of lines) console.log(`    ${name.padEnd(14)} ${value}`);
  console.log(
    '    Next: sign in to the web console with the admin key, or README, "First steps". Ctrl-C stops everything.',
  );
}
