import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../provision/commands.js';
import { compiled } from '../provision/project-root.js';
import { ProvisionError } from '../provision/provision-error.js';
import { environmentFor } from './settings.js';

const REQUEST_TIMEOUT_MS = 10_000;
const WORKER_SCOPES = 'runners:manage,tasks:execute';

const SECRETS_KEY_FILE = 'secrets-key';
const SECRETS_KEY_BYTES = 32;

const UNSHOWN_KEY_FILE = 'admin-key-not-shown';

/**
 * Returns the admin key that no completed start has printed yet; undefined if there is none. Creates one for an empty
 * database. It is stored in the data folder (mode 0600) before the platform uses it, because a start can be
 * interrupted.
 */
export async function unshownAdminKey(dataDir: string, isNewDatabase: boolean): Promise<string | undefined> {
  const path = join(dataDir, UNSHOWN_KEY_FILE);
  const stored = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  if (stored !== '') return stored;
  if (!isNewDatabase) return undefined;
  const created = await newAdminKey();
  writeFileSync(path, `${created}\n`, { mode: 0o600 });
  return created;
}

/** To be called when the banner with the admin key has been printed, so that later starts do not show the key. */
export function forgetAdminKey(dataDir: string): void {
  rmSync(join(dataDir, UNSHOWN_KEY_FILE), { force: true });
}

/**
 * Returns the key of stored secrets: SECRETS_KEY, else the one in the data folder (mode 0600), which is created if
 * there is none.
 */
export function secretsKey(dataDir: string): string {
  const configured = process.env['SECRETS_KEY'];
  if (configured) return configured;
  const path = join(dataDir, SECRETS_KEY_FILE);
  const stored = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  if (stored !== '') return stored;
  const created = randomBytes(SECRETS_KEY_BYTES).toString('base64');
  writeFileSync(path, `${created}\n`, { mode: 0o600 });
  return created;
}

/** Generates a key in the format of the platform. Imports the identity library only when a key is needed. */
export async function newAdminKey(): Promise<string> {
  const { generateKey } = await import('@app/identity');
  return generateKey().key;
}

/**
 * Returns the worker key stored in the data folder (mode 0600). Creates one if there is none or the platform rejects
 * it.
 */
export async function workerKey(dataDir: string, databaseUrl: string, controlPlaneUrl: string): Promise<string> {
  const path = join(dataDir, 'worker-key');
  const stored = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  if (stored !== '' && (await isAccepted(stored, controlPlaneUrl))) return stored;
  const created = await createKey(databaseUrl);
  writeFileSync(path, `${created}\n`, { mode: 0o600 });
  return created;
}

/** Returns whether the control plane accepts a key, regardless of its scopes. */
export async function isAccepted(key: string, controlPlaneUrl: string): Promise<boolean> {
  const response = await fetch(`${controlPlaneUrl}/api/v1/models?limit=1`, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  await response.body?.cancel();
  return response.status === 200;
}

async function createKey(databaseUrl: string): Promise<string> {
  const args = ['create-key', '--organization', 'default', '--name', 'worker', '--scopes', WORKER_SCOPES];
  const { code, output } = await runCommand(process.execPath, [compiled('bundles/admin'), ...args], {
    env: environmentFor({ DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent' }),
  });
  const key = /"api_key":\s*"([^"]+)"/.exec(output)?.[1];
  if (code === 0 && key !== undefined) return key;
  throw new ProvisionError('The key of the worker could not be created.', output.trim());
}
