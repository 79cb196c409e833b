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
import { changeOwner, type PostgresAccount } from './postgres-account.js';
import type { PostgresBinaries } from './postgres-binaries.js';
import { commandLineOf, isAlive } from './process-identity.js';
import { ProvisionError } from './provision-error.js';
import { explainFailure } from './server-failure.js';
import { waitUntil } from './wait-until.js';

/** The paths inside a Postgres data folder. */
export interface ClusterFiles {
  readonly folder: string;
  /** The data directory of Postgres (PGDATA). It exists only after initdb has succeeded. */
  readonly cluster: string;
  readonly password: string;
  readonly log: string;
}

export const SUPERUSER = 'postgres';
// FirstNormalObjectId of PostgreSQL: initdb creates no database with this OID or a higher one.
const FIRST_USER_DATABASE_OID = 16_384;

export function clusterFiles(folder: string): ClusterFiles {
  return {
    folder,
    cluster: join(folder, 'cluster'),
    password: join(folder, 'password'),
    log: join(folder, 'server.log'),
  };
}

/**
 * Returns the major version of the existing cluster, or undefined if there is none. Removes what an interrupted initdb
 * left; throws if user data is there but the cluster is incomplete.
 */
export function existingMajor(files: ClusterFiles): number | undefined {
  rmSync(`${files.cluster}.new`, { recursive: true, force: true });
  if (!existsSync(files.cluster)) return undefined;
  if (isComplete(files)) return majorOf(files);
  if (holdsData(files.cluster)) {
    throw new ProvisionError(
      `${files.cluster} holds data, but files of a Postgres data folder are missing.`,
      'Restore it from a backup, or move it away: the next start then creates an empty one.',
    );
  }
  rmSync(files.cluster, { recursive: true, force: true });
  return undefined;
}

/**
 * Creates a cluster under a temporary name and renames it at the end, so that no incomplete cluster is used.
 */
export async function createCluster(
  files: ClusterFiles,
  binaries: PostgresBinaries,
  account: PostgresAccount,
  durable: boolean,
): Promise<void> {
  const temporaryFolder = `${files.cluster}.new`;
  const passwordFile = `${files.password}.new`;
  writeFileSync(passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
  mkdirSync(temporaryFolder, { mode: 0o700 });
  changeOwner(passwordFile, account);
  changeOwner(temporaryFolder, account);
  const locale = binaries.major >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : [];
  const [command = '', ...args] = [
    ...account.prefix,
    join(binaries.folder, 'initdb'),
    `--pgdata=${temporaryFolder}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    ...locale,
    ...(durable ? [] : ['--no-sync']),
  ];
  const env = { ...process.env, ...binaries.env };
  const result = await runCommand(command, args, { ...spawnIdentity(account), cwd: '/', env });
  if (result.code !== 0) {
    rmSync(temporaryFolder, { recursive: true, force: true });
    throw explainFailure(
      { name: 'Postgres', variable: 'DATABASE_URL', dataDir: files.folder, logFile: files.log },
      result.output,
    );
  }
  renameSync(passwordFile, files.password);
  chmodSync(files.password, 0o600);
  renameSync(temporaryFolder, files.cluster);
}

export function readPassword(files: ClusterFiles): string {
  try {
    return readFileSync(files.password, 'utf8').trim();
  } catch {
    throw new ProvisionError(
      `The password file ${files.password} of the Postgres data folder is missing.`,
      `Restore it, or remove ${files.folder} with all its data: the next start then creates a new one.`,
    );
  }
}

/**
 * Waits until no server runs on the cluster (one whose parent was killed may still be shutting down), then removes a
 * postmaster.pid left by a crash: its process has ended, or its id now belongs to another program. Throws after
 * `timeoutMs`.
 */
export async function waitForFormerServer(files: ClusterFiles, timeoutMs: number): Promise<void> {
  const pidFile = join(files.cluster, 'postmaster.pid');
  const ended = await waitUntil(async () => (runningPid(pidFile, files.cluster) === undefined ? true : undefined), {
    timeoutMs,
    intervalMs: 50,
  });
  if (ended === undefined) {
    throw new ProvisionError(
      `Another Postgres (process ${runningPid(pidFile, files.cluster)}) is running on ${files.cluster}.`,
      'Stop the process that started it, or set DATA_DIR to another folder.',
    );
  }
  rmSync(pidFile, { force: true });
}

/** Returns the process id in postmaster.pid if that process is still a Postgres server on this cluster. */
function runningPid(pidFile: string, cluster: string): number | undefined {
  if (!existsSync(pidFile)) return undefined;
  const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
  if (!Number.isInteger(pid) || pid <= 0 || !isAlive(pid)) return undefined;
  const commandLine = commandLineOf(pid);
  return commandLine !== undefined && commandLine.includes('postgres') && commandLine.includes(cluster)
    ? pid
    : undefined;
}

/** Returns the `uid` and `gid` options of spawn; empty if the programs run as the current user. */
export function spawnIdentity(account: PostgresAccount): { uid?: number; gid?: number } {
  return account.uid === undefined || account.gid === undefined ? {} : { uid: account.uid, gid: account.gid };
}

/** A PG_VERSION without a version is treated as missing. */
function isComplete(files: ClusterFiles): boolean {
  const parts = ['PG_VERSION', join('global', 'pg_control'), 'postgresql.conf', 'pg_wal'];
  return parts.every((name) => existsSync(join(files.cluster, name))) && Number.isInteger(majorOf(files));
}

function majorOf({ cluster }: ClusterFiles): number {
  return Number.parseInt(readFileSync(join(cluster, 'PG_VERSION'), 'utf8'), 10);
}

/** Returns whether a user has created a database in the cluster. */
function holdsData(cluster: string): boolean {
  if (!statSync(cluster).isDirectory()) return true;
  const base = join(cluster, 'base');
  return existsSync(base) && readdirSync(base).some((name) => Number(name) >= FIRST_USER_DATABASE_OID);
}
