import { chownSync, lstatSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findOnPath, commandSucceeds } from './commands.js';
import { ProvisionError } from './provision-error.js';

/** The account that runs the Postgres programs, which refuse to run as root. */
export interface PostgresAccount {
  /** Command and arguments that precede every Postgres command; empty when none are needed. */
  readonly prefix: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
  /** The required owner of the data folder, as seen by this process. */
  readonly owner: { readonly uid: number; readonly gid: number };
}

const USER_NAMESPACE_COMMAND = ['unshare', '--user', '--map-user=1000', '--map-group=1000'];
const NOBODY = { uid: 65_534, gid: 65_534 };

/**
 * Chooses how to run Postgres. An ordinary user runs it directly. Root runs it in a user namespace in which root's
 * files belong to user 1000: no file changes its owner, and folders that only root may enter remain accessible. Where
 * user namespaces are forbidden (most containers), Postgres runs as the account `postgres` or `nobody`; throws if that
 * account cannot reach one of `paths`.
 */
export function choosePostgresAccount(paths: readonly string[]): PostgresAccount {
  const uid = process.getuid?.() ?? 1;
  const gid = process.getgid?.() ?? 1;
  if (uid !== 0) return { prefix: [], owner: { uid, gid } };
  const [command = '', ...args] = USER_NAMESPACE_COMMAND;
  if (findOnPath(command) !== undefined && commandSucceeds(command, [...args, 'true'])) {
    return { prefix: USER_NAMESPACE_COMMAND, owner: { uid: 0, gid: 0 } };
  }
  const inaccessible = paths.map(findInaccessibleAncestor).find((folder) => folder !== undefined);
  if (inaccessible !== undefined) {
    throw new ProvisionError(
      `Postgres refuses to run as root, and only root may enter ${inaccessible}.`,
      'Run this as an ordinary user, move the project to a folder that other users may enter, or set DATABASE_URL.',
    );
  }
  const account = findAccount('postgres') ?? NOBODY;
  return { prefix: [], ...account, owner: account };
}

/**
 * Makes the account the owner of a folder tree (or file). Does nothing without root, or if the owner is already right.
 */
export function changeOwner(path: string, { owner }: PostgresAccount): void {
  if (process.getuid?.() !== 0 || statSync(path).uid === owner.uid) return;
  const visit = (current: string): void => {
    const entry = lstatSync(current);
    if (entry.isSymbolicLink()) return;
    chownSync(current, owner.uid, owner.gid);
    if (entry.isDirectory()) for (const name of readdirSync(current)) visit(join(current, name));
  };
  visit(path);
}

/** Returns the topmost parent folder of a path that accounts other than its owner may not enter. */
function findInaccessibleAncestor(path: string): string | undefined {
  const parent = dirname(path);
  if (parent === path) return undefined;
  const stats = statSync(parent, { throwIfNoEntry: false });
  return findInaccessibleAncestor(parent) ?? (stats !== undefined && (stats.mode & 0o001) === 0 ? parent : undefined);
}

function findAccount(name: string): { uid: number; gid: number } | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}
