import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { reachableUrl } from '@app/config';
import { freePort, requireFreePort } from '../provision/free-port.js';
import { projectRoot } from '../provision/project-root.js';
import { ProvisionError } from '../provision/provision-error.js';

/** Reads `.env` beside package.json, where there is one. What the environment says already stays. */
export function readDotEnv(): void {
  const path = join(projectRoot, '.env');
  if (existsSync(path)) process.loadEnvFile(path);
}

/** `DATA_DIR`, or `.data` in the project's folder. */
export function dataFolder(): string {
  return resolve(projectRoot, process.env['DATA_DIR'] || '.data');
}

/** Where a server of ours listens and how it is reached from this machine. */
export interface ServerAddress {
  readonly port: number;
  readonly url: string;
}

/** The address that `<name>_PORT` and `<name>_HOST` ask for; port 0 means any free one. A taken port is refused. */
export async function addressFromEnvironment(name: string, defaultPort: number): Promise<ServerAddress> {
  const variable = `${name}_PORT`;
  const text = process.env[variable] || String(defaultPort);
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new ProvisionError(`${variable} is "${text}".`, 'A port is a whole number from 0 to 65535.');
  }
  const host = process.env[`${name}_HOST`] || '127.0.0.1';
  if (port === 0) return addressAt(await freePort(), host);
  await requireFreePort(port, variable, host);
  return addressAt(port, host);
}

export function addressAt(port: number, host = '127.0.0.1'): ServerAddress {
  return { port, url: reachableUrl(host, port) };
}

/** What is set and has no effect, in words: somebody counts on it perhaps. */
export function unusedSettings(): string[] {
  const natsUrl = process.env['NATS_URL'];
  return natsUrl ? ['NATS_URL is set, but this version does not use NATS: events go through Redis only'] : [];
}

// Addresses that may hold a password, keys, and where the keys are for: each child is told only what it needs. A worker
// learns its model gateway from the control plane, address and key together.
const toldToFew = [
  'DATABASE_URL',
  'REDIS_URL',
  'NATS_URL',
  'LLM_GATEWAY_URL',
  'LLM_GATEWAY_API_KEY',
  'BOOTSTRAP_ADMIN_KEY',
  'WORKER_API_KEY',
  'OPA_URL',
  'OPA_TOKEN',
];

/** The environment for one child: ours without what only some may know, then what it needs. */
export function environmentFor(needed: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !toldToFew.includes(name));
  const given = Object.entries(needed).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries([...inherited, ...given]);
}
