import * as config from '@app/config';
import { checkConfig, ConfigError, describeConfig, type ConfigClass } from '@app/config';
import { WorkerConfig } from '../../apps/worker/src/worker.config.js';
import { LauncherVariables } from './launcher-variables.js';

/** Every config class of every part. */
export function settingsClasses(): ConfigClass[] {
  return [LauncherVariables, ...Object.values<unknown>(config).filter(isConfigClass), WorkerConfig];
}

/**
 * Throws a ConfigError with all that is wrong with the settings of all parts, before any of them starts: each part by
 * itself would tell its own faults only, once the parts before it are up.
 */
export function checkSettings(env: NodeJS.ProcessEnv = process.env): void {
  const faults = [...faultsOf(env), ...portFaults(env)];
  if (faults.length > 0) throw new ConfigError(faults);
}

function faultsOf(env: NodeJS.ProcessEnv): readonly string[] {
  // The launcher brings the stores where none are named, and tells its worker address and key whatever is set.
  const brought = {
    DATABASE_URL: env['DATABASE_URL'] || 'postgres://127.0.0.1',
    REDIS_URL: env['REDIS_URL'] || 'redis://127.0.0.1',
    CONTROL_PLANE_URL: 'http://127.0.0.1',
    WORKER_API_KEY: 'made-by-the-launcher',
  };
  try {
    checkConfig(settingsClasses(), { ...env, ...brought });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

function portFaults(env: NodeJS.ProcessEnv): string[] {
  const controlPlane = Number(env['CONTROL_PLANE_PORT'] || 3000);
  const platformApi = Number(env['PLATFORM_API_PORT'] || 3001);
  if (controlPlane !== platformApi || controlPlane === 0) return [];
  return [`PLATFORM_API_PORT: ${platformApi} is the port of the control plane already (CONTROL_PLANE_PORT)`];
}

function isConfigClass(value: unknown): value is ConfigClass {
  return (
    typeof value === 'function' && value.name.endsWith('Config') && describeConfig(value as ConfigClass).length > 0
  );
}
