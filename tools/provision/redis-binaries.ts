import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { onPath, runCommand } from './commands.js';
import { ProvisionError } from './provision-error.js';
import { unpackDebianRedis } from './redis-debian.js';

export interface RedisBinary {
  readonly path: string;
  /** Where its shared libraries lie, when not where the system looks. */
  readonly libraries?: string;
}

// Streams, LMOVE and the script effects that the queues rely on.
const oldestVersion = [6, 2] as const;

/** The program to run Redis with: that of the system, a copy unpacked before, or Debian's package unpacked now. */
export async function findRedisBinary(cacheFolder = defaultCacheFolder()): Promise<RedisBinary> {
  const reasons: string[] = [];
  for (const path of onSearchPath()) {
    const refusal = await unsuitable({ path });
    if (refusal === undefined) return { path };
    reasons.push(`${path}: ${refusal}`);
  }
  const folder = join(cacheFolder, `redis-${process.arch}`);
  const kept = unpackedBinary(folder);
  if (kept !== undefined && (await unsuitable(kept)) === undefined) return kept;
  const failure = await unpackDebianRedis(folder);
  const fresh = unpackedBinary(folder);
  const refusal = failure ?? (fresh === undefined ? 'the package holds no redis-server' : await unsuitable(fresh));
  if (fresh !== undefined && refusal === undefined) return fresh;
  throw new ProvisionError(
    `No redis-server was found (${[...reasons, `Debian's package: ${refusal}`].join('; ')}).`,
    'Install it (apt install redis-server, brew install redis), or set REDIS_URL to a running one, or run docker/compose.yaml.',
  );
}

function defaultCacheFolder(): string {
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'agent-orchestration-platform');
}

/** The environment in which a binary finds its libraries. */
export function environmentOf(binary: RedisBinary): NodeJS.ProcessEnv {
  if (binary.libraries === undefined) return process.env;
  const inherited = process.env['LD_LIBRARY_PATH'];
  return { ...process.env, LD_LIBRARY_PATH: inherited ? `${binary.libraries}:${inherited}` : binary.libraries };
}

function onSearchPath(): string[] {
  return ['redis-server', 'valkey-server'].map(onPath).filter((path) => path !== undefined);
}

function unpackedBinary(folder: string): RedisBinary | undefined {
  const path = join(folder, 'usr', 'bin', 'redis-server');
  return existsSync(path) ? { path, libraries: join(folder, 'libraries') } : undefined;
}

/** Why a binary will not do; undefined when it will. */
async function unsuitable(binary: RedisBinary): Promise<string | undefined> {
  const { code, output } = await runCommand(binary.path, ['--version'], { env: environmentOf(binary) });
  const version = /v=(\d+)\.(\d+)/.exec(output);
  if (code !== 0 || version === null) return `does not run (${output.trim().split('\n')[0] ?? ''})`;
  const [major, minor] = [Number(version[1]), Number(version[2])];
  const recent = major > oldestVersion[0] || (major === oldestVersion[0] && minor >= oldestVersion[1]);
  return recent ? undefined : `version ${major}.${minor} is older than ${oldestVersion.join('.')}`;
}
