import { ProvisionError } from '../provision/provision-error.js';
import { readRunState, type RunState } from '../start/run-state.js';
import { dataFolder } from '../start/settings.js';

/** No platform is running on the data folder and DATABASE_URL is not set. */
export class NoDatabaseError extends ProvisionError {}

/**
 * Sets DATABASE_URL in `env` to that of the platform that runs on the data folder, and DEFAULT_MODEL unless it is set.
 * Changes neither if DATABASE_URL is set. Disables logs, because standard output contains only the result. Throws
 * NoDatabaseError if there is no database.
 */
export function selectDatabase(env: NodeJS.ProcessEnv): void {
  if (!env['DATABASE_URL']) {
    const { databaseUrl, defaultModel } = runningPlatform(dataFolder());
    env['DATABASE_URL'] = databaseUrl;
    if (defaultModel !== undefined) env['DEFAULT_MODEL'] ||= defaultModel;
  }
  env['LOG_LEVEL'] = 'silent';
}

function runningPlatform(dataDir: string): RunState {
  const runState = readRunState(dataDir);
  if (runState !== undefined) return runState;
  throw new NoDatabaseError(
    `No platform is running on the data folder ${dataDir}, and DATABASE_URL is not set.`,
    'Start one with `npm start`, set DATA_DIR to the data folder of a running one, or set DATABASE_URL.',
  );
}
