import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './commands.js';
import { handOver, type PostgresAccount } from './postgres-account.js';
import type { PostgresBinaries } from './postgres-binaries.js';
import { commandLineOf, isAlive } from './process-identity.js';
import { ProvisionError } from './provision-error.js';
import { explainFailure } from './server-failure.js';
import { waitUntil } from './wait-until.js';

/** Where things lie in a Postgres data folder of ours. */
export interface ClusterFiles {
  readonly folder: string;
  /** What Postgres itself calls its data directory. It exists only once initdb came to its end. */
  readonly cluster: string;
  readonly password: string;
  readonly log: string;
}

export const superuser = 'postgres';
const firstUserDatabaseId = 16_384;

export function clusterFiles(folder: string): ClusterFiles {
  return {
    folder,
    cluster: join(folder, 'cluster'),
    password: join(folder, 'password'),
    log: join(folder, 'server.log'),
  };
}

/** The major version that made the cluster; undefined when there is none (what initdb left half-made is removed). */
export function existingMajor(files: ClusterFiles): number | undefined {
  rmSync(`${files.cluster}.new`, { recursive: true, force: true });
  if (!existsSync(files.cluster)) return undefined;
  if (isComplete(files)) return majorOf(files);
  if (holdsData(files.cluster)) {
    throw new ProvisionError(
      `${files.cluster} holds data, but parts of a Postgres data folder are missing from it.`,
      'Restore it from a backup; or move it away, and an empty one is made at the next start.',
    );
  }
  rmSync(files.cluster, { recursive: true, force: true });
  return undefined;
}

/** Makes a new cluster under another name and gives it its own when all is done: a half-made one is never taken for whole. */
export async function createCluster(
  files: ClusterFiles,
  binaries: PostgresBinaries,
  account: PostgresAccount,
  durable: boolean,
): Promise<void> {
  const unfinished = `${files.cluster}.new`;
  const passwordFile = `${files.password}.new`;
  writeFileSync(passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
  mkdirSync(unfinished, { mode: 0o700 });
  handOver(passwordFile, account);
  handOver(unfinished, account);
  const locale = binaries.major >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : [];
  const [command = '', ...args] = [
    ...account.prefix,
    join(binaries.folder, 'initdb'),
    `--pgdata=${unfinished}`,
    `--username=${superuser}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    ...locale,
    ...(durable ? [] : ['--no-sync']),
  ];
  const made = await runCommand(command, args, { ...ids(account), cwd: '/' });
  if (made.code !== 0) {
    rmSync(unfinished, { recursive: true, force: true });
    throw explainFailure(
      { name: 'Postgres', variable: 'DATABASE_URL', dataDir: files.folder, logFile: files.log },
      made.output,
    );
  }
  renameSync(passwordFile, files.password);
  chmodSync(files.password, 0o600);
  renameSync(unfinished, files.cluster);
}

export function readPassword(files: ClusterFiles): string {
  try {
    return readFileSync(files.password, 'utf8').trim();
  } catch {
    throw new ProvisionError(
      `The password file ${files.password} of the Postgres data folder is missing.`,
      `Put it back; or remove ${files.folder} with all its data, and a new one is made at the next start.`,
    );
  }
}

/**
 * Makes way in a cluster for a new server. One that is still shutting down (its parent was killed) is waited for; a
 * postmaster.pid left by a crash is removed where its process is gone or its number belongs to another program now.
 */
export async function awaitFormerServer(files: ClusterFiles, timeoutMs: number): Promise<void> {
  const pidFile = join(files.cluster, 'postmaster.pid');
  const gone = await waitUntil(async () => (holderOf(pidFile, files.cluster) === undefined ? true : undefined), {
    timeoutMs,
    stepMs: 50,
  });
  if (gone === undefined) {
    throw new ProvisionError(
      `Another Postgres (process ${holderOf(pidFile, files.cluster)}) runs on ${files.cluster}.`,
      'Stop what started it, or set DATA_DIR to another folder.',
    );
  }
  rmSync(pidFile, { force: true });
}

/** The process that runs on the cluster according to its postmaster.pid, where that is still true. */
function holderOf(pidFile: string, cluster: string): number | undefined {
  if (!existsSync(pidFile)) return undefined;
  const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
  if (!Number.isInteger(pid) || pid <= 0 || !isAlive(pid)) return undefined;
  const commandLine = commandLineOf(pid);
  return commandLine !== undefined && commandLine.includes('postgres') && commandLine.includes(cluster)
    ? pid
    : undefined;
}

export function ids(account: PostgresAccount): { uid?: number; gid?: number } {
  return account.uid === undefined || account.gid === undefined ? {} : { uid: account.uid, gid: account.gid };
}

/** A PG_VERSION that names no version is as good as missing. */
function isComplete(files: ClusterFiles): boolean {
  const parts = ['PG_VERSION', join('global', 'pg_control'), 'postgresql.conf', 'pg_wal'];
  return parts.every((name) => existsSync(join(files.cluster, name))) && Number.isInteger(majorOf(files));
}

function majorOf({ cluster }: ClusterFiles): number {
  return Number.parseInt(readFileSync(join(cluster, 'PG_VERSION'), 'utf8'), 10);
}

/** initdb makes no database with an id this high: one that exists was made by a user. */
function holdsData(cluster: string): boolean {
  if (!statSync(cluster).isDirectory()) return true;
  const base = join(cluster, 'base');
  return existsSync(base) && readdirSync(base).some((name) => Number(name) >= firstUserDatabaseId);
}
