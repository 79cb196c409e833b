import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../provision/commands.js';
import { compiled } from '../provision/project-root.js';
import { ProvisionError } from '../provision/provision-error.js';
import { environmentFor } from './settings.js';

const workerScopes = 'runners:manage,tasks:execute';

/** The key of the worker that belongs to a data folder (kept there, 0600); a new one where the platform refuses it. */
export async function workerKey(dataDir: string, databaseUrl: string, controlPlaneUrl: string): Promise<string> {
  const path = join(dataDir, 'worker-key');
  const kept = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  if (kept !== '' && (await isAccepted(kept, controlPlaneUrl))) return kept;
  const made = await createKey(databaseUrl);
  writeFileSync(path, `${made}\n`, { mode: 0o600 });
  return made;
}

/** Whether the platform knows a key, whatever the key may do. */
export async function isAccepted(key: string, controlPlaneUrl: string): Promise<boolean> {
  const response = await fetch(`${controlPlaneUrl}/api/v1/models?limit=1`, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(10_000),
  });
  await response.body?.cancel();
  return response.status === 200;
}

async function createKey(databaseUrl: string): Promise<string> {
  const args = ['create-key', '--organization', 'default', '--name', 'worker', '--scopes', workerScopes];
  const { code, output } = await runCommand(process.execPath, [compiled('tools/admin/main'), ...args], {
    env: environmentFor({ DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent' }),
  });
  const made = /"api_key":\s*"([^"]+)"/.exec(output)?.[1];
  if (code === 0 && made !== undefined) return made;
  throw new ProvisionError('No key for the worker could be made.', output.trim());
}
