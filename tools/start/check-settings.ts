import * as config from '@app/config';
import {
  certificatesOf,
  checkConfig,
  ConfigError,
  ControlPlaneConfig,
  describeConfig,
  loadConfig,
  PlatformApiConfig,
  RedisConfig,
  type ConfigClass,
} from '@app/config';
import { WorkerTracingConfig } from '../../apps/worker/src/tracing/tracing.config.js';
import { WorkbenchConfig } from '../../apps/worker/src/workbench.config.js';
import { WorkerConfig } from '../../apps/worker/src/worker.config.js';
import { LauncherConfig } from './launcher.config.js';

/** Returns the config classes of all apps and of the launcher. */
export function settingsClasses(): ConfigClass[] {
  return [
    LauncherConfig,
    ...Object.values<unknown>(config).filter(isConfigClass),
    WorkerConfig,
    WorkbenchConfig,
    WorkerTracingConfig,
  ];
}

/** Returns the names of all settings, as variables of the environment. */
export function settingNames(): string[] {
  return settingsClasses().flatMap((config) => describeConfig(config).map(({ variable }) => variable));
}

/**
 * Throws one ConfigError with the faults of all settings before anything is started. Without this check, each app would
 * report only its own faults, after the apps before it are up.
 */
export function checkSettings(env: NodeJS.ProcessEnv = process.env): void {
  const faults = [...faultsOf(env), ...portFaults(env)];
  if (faults.length > 0) throw new ConfigError(faults);
}

function faultsOf(env: NodeJS.ProcessEnv): readonly string[] {
  // The launcher starts its own stores unless they are configured, and always sets the URL and key of its worker.
  const providedSettings = {
    DATABASE_URL: env['DATABASE_URL'] || 'postgres://127.0.0.1',
    REDIS_URL: env['REDIS_URL'] || 'redis://127.0.0.1',
    CONTROL_PLANE_URL: 'http://127.0.0.1',
    WORKER_API_KEY: 'made-by-the-launcher',
  };
  try {
    const settings = { ...env, ...providedSettings };
    checkConfig(settingsClasses(), settings);
    certificatesOf(loadConfig(RedisConfig, settings));
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

/** The ports, in the order in which their servers start. */
const PORTS: readonly (readonly [variable: string, server: string, defaultPort: () => number | null])[] = [
  ['CONTROL_PLANE_PORT', 'the control plane', () => loadConfig(ControlPlaneConfig, {}).port],
  ['PLATFORM_API_PORT', 'the platform API', () => loadConfig(PlatformApiConfig, {}).port],
  // Its default is replaced if it is in use.
  ['TOOL_SERVER_PORT', 'the tool server', () => null],
];

function portFaults(env: NodeJS.ProcessEnv): string[] {
  const used = PORTS.map(([variable, server, defaultPort]) => {
    const port = env[variable] ? Number(env[variable]) : defaultPort();
    return { variable, server, port };
  }).filter(({ port }) => port !== 0 && port !== null);
  return used.flatMap(({ variable, port }, index) => {
    const other = used.slice(0, index).find((earlier) => earlier.port === port);
    return other === undefined
      ? []
      : [`${variable}: ${port} is already the port of ${other.server} (${other.variable})`];
  });
}

function isConfigClass(value: unknown): value is ConfigClass {
  return (
    typeof value === 'function' && value.name.endsWith('Config') && describeConfig(value as ConfigClass).length > 0
  );
}
