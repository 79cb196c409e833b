import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findOnPath, runCommand } from './commands.js';
import { unpackDebianPackages } from './debian-packages.js';
import { ProvisionError } from './provision-error.js';

export interface RedisBinary {
  readonly path: string;
  /** The folder of its shared libraries, if it is not on the search path of the system. */
  readonly libraries?: string;
}

// The first version with the commands and script semantics that the queues use (LMOVE, effects replication).
const OLDEST_VERSION = [6, 2] as const;

const PACKAGES = ['redis-server', 'redis-tools'];
const BINARY = 'usr/bin/redis-server';

/**
 * Returns the redis-server to run: that of the system, an unpacked copy in the cache, or the Debian package, which is
 * downloaded and unpacked into the cache. Throws ProvisionError if none is usable.
 */
export async function findRedisBinary(cacheFolder = defaultCacheFolder()): Promise<RedisBinary> {
  const reasons: string[] = [];
  for (const path of installedServers()) {
    const reason = await unsuitableReason({ path });
    if (reason === undefined) return { path };
    reasons.push(`${path}: ${reason}`);
  }
  const folder = join(cacheFolder, `redis-${process.arch}`);
  const cached = unpackedBinary(folder);
  if (cached !== undefined && (await unsuitableReason(cached)) === undefined) return cached;
  const failure = await unpackDebianPackages(folder, PACKAGES, [BINARY]);
  const unpacked = unpackedBinary(folder);
  const reason = failure ?? (unpacked === undefined ? 'it contains no redis-server' : await unsuitableReason(unpacked));
  if (unpacked !== undefined && reason === undefined) return unpacked;
  throw new ProvisionError(
    `No usable redis-server was found (${[...reasons, `Debian package: ${reason}`].join('; ')}).`,
    'Install it (apt install redis-server, brew install redis), set REDIS_URL to a running server, or use docker/compose.yaml.',
  );
}

function defaultCacheFolder(): string {
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'agent-orchestration-platform');
}

/** Returns the environment in which the binary finds its shared libraries. */
export function environmentOf(binary: RedisBinary): NodeJS.ProcessEnv {
  if (binary.libraries === undefined) return process.env;
  const inherited = process.env['LD_LIBRARY_PATH'];
  return { ...process.env, LD_LIBRARY_PATH: inherited ? `${binary.libraries}:${inherited}` : binary.libraries };
}

function installedServers(): string[] {
  return ['redis-server', 'valkey-server'].map(findOnPath).filter((path) => path !== undefined);
}

function unpackedBinary(folder: string): RedisBinary | undefined {
  const path = join(folder, BINARY);
  return existsSync(path) ? { path, libraries: join(folder, 'libraries') } : undefined;
}

/** Returns why a binary cannot be used, or undefined if it can. */
async function unsuitableReason(binary: RedisBinary): Promise<string | undefined> {
  const { code, output } = await runCommand(binary.path, ['--version'], { env: environmentOf(binary) });
  const version = /v=(\d+)\.(\d+)/.exec(output);
  if (code !== 0 || version === null) return `it does not run (${output.trim().split('\n')[0] ?? ''})`;
  const [major, minor] = [Number(version[1]), Number(version[2])];
  const isSupported = major > OLDEST_VERSION[0] || (major === OLDEST_VERSION[0] && minor >= OLDEST_VERSION[1]);
  return isSupported ? undefined : `version ${major}.${minor} is older than ${OLDEST_VERSION.join('.')}`;
}
