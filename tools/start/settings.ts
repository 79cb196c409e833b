import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { reachableUrl } from '@app/config';
import { freePort, isPortFree, requireFreePort } from '../provision/free-port.js';
import { projectRoot } from '../provision/project-root.js';

/**
 * Loads `.env` beside package.json if it exists. Variables of the environment take precedence. Returns the names that
 * the file sets.
 */
export function readDotEnv(): readonly string[] {
  const path = join(projectRoot, '.env');
  if (!existsSync(path)) return [];
  process.loadEnvFile(path);
  return Object.keys(parseEnv(readFileSync(path, 'utf8')));
}

/** Returns `DATA_DIR`, or `.data` in the project folder. */
export function dataFolder(): string {
  return resolve(projectRoot, process.env['DATA_DIR'] || '.data');
}

/** The port of a server and its URL on this machine. */
export interface ServerAddress {
  readonly port: number;
  readonly url: string;
}

/** Returns the configured address; port 0 selects a free port. Throws if the port, which `variable` sets, is in use. */
export async function configuredAddress(
  variable: string,
  { port, host }: { readonly port: number; readonly host: string },
): Promise<ServerAddress> {
  if (port === 0) return addressAt(await freePort(), host);
  await requireFreePort(port, variable, host);
  return addressAt(port, host);
}

/**
 * Returns the configured address of a server that most users do not need: the default port in use selects a free one.
 *
 * @param others the addresses of the servers that start before it
 */
export async function optionalAddress(
  variable: string,
  { port, host }: { readonly port: number; readonly host: string },
  others: readonly ServerAddress[],
): Promise<ServerAddress> {
  if (process.env[variable]) return configuredAddress(variable, { port, host });
  const isTaken = others.some((other) => other.port === port) || !(await isPortFree(port, host));
  return addressAt(isTaken ? await freePort() : port, host);
}

export function addressAt(port: number, host = '127.0.0.1'): ServerAddress {
  return { port, url: reachableUrl(host, port) };
}

// Secrets and URLs that may contain one. A child process inherits none of them and receives only those it needs. The
// worker receives the URL and key of the model gateway from the control plane.
const PRIVATE_VARIABLES = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'DATABASE_REPLICA_URL',
  'REDIS_URL',
  'REDIS_SENTINEL_PASSWORD',
  'NATS_URL',
  'LLM_GATEWAY_URL',
  'LLM_GATEWAY_API_KEY',
  'BOOTSTRAP_ADMIN_KEY',
  'WORKER_API_KEY',
  'SERVICE_API_KEY',
  'SECRETS_KEY',
  'SECRETS_KEY_PREVIOUS',
  'OPA_URL',
  'OPA_TOKEN',
];

/** Returns the environment of a child process: the inherited one without private variables, plus `needed`. */
export function environmentFor(needed: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !PRIVATE_VARIABLES.includes(name));
  const added = Object.entries(needed).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries([...inherited, ...added]);
}
