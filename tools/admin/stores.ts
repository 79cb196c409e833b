import { ProvisionError } from '../provision/provision-error.js';
import { readRunState } from '../start/run-state.js';
import { dataFolder } from '../start/settings.js';

/** There is no database to work on. */
export class NoStoresError extends ProvisionError {}

/**
 * Points this process at the database to work on: the one that DATABASE_URL names, else that of the platform running on
 * the data folder. Logs are off, since standard output belongs to the result.
 */
export function useStores(env: NodeJS.ProcessEnv): void {
  env['DATABASE_URL'] ||= databaseOfRunning(dataFolder());
  env['LOG_LEVEL'] = 'silent';
}

function databaseOfRunning(dataDir: string): string {
  const running = readRunState(dataDir);
  if (running !== undefined) return running.databaseUrl;
  throw new NoStoresError(
    `No platform runs on the data folder ${dataDir}, and DATABASE_URL is not set.`,
    'Start it with `npm start`, set DATA_DIR to the folder of a running one, or set DATABASE_URL.',
  );
}
