import { chownSync, lstatSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onPath, succeeds } from './commands.js';
import { ProvisionError } from './provision-error.js';

/** How to run Postgres's programs, which refuse to run as root. */
export interface PostgresAccount {
  /** Goes in front of every command. */
  readonly prefix: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
  /** The owner, as this process sees it, that the data folder must have. */
  readonly owner: { readonly uid: number; readonly gid: number };
}

const inOwnNamespace = ['unshare', '--user', '--map-user=1000', '--map-group=1000'];
const nobody = { uid: 65_534, gid: 65_534 };

/**
 * An ordinary user runs them as they are. Root runs them in a user namespace, where its files look like those of user
 * 1000: nothing changes hands, and a folder that only root may enter will do. Where namespaces are forbidden (most
 * containers) they run as the account `postgres` or nobody, which must be able to reach the paths given.
 */
export function choosePostgresAccount(paths: readonly string[]): PostgresAccount {
  const uid = process.getuid?.() ?? 1;
  const gid = process.getgid?.() ?? 1;
  if (uid !== 0) return { prefix: [], owner: { uid, gid } };
  const [command = '', ...args] = inOwnNamespace;
  if (onPath(command) !== undefined && succeeds(command, [...args, 'true'])) {
    return { prefix: inOwnNamespace, owner: { uid: 0, gid: 0 } };
  }
  const closed = paths.map(closedAncestor).find((folder) => folder !== undefined);
  if (closed !== undefined) {
    throw new ProvisionError(
      `Postgres refuses to run as root, and only root may enter ${closed}.`,
      'Run this as an ordinary user, move the project to a folder that others may enter, or set DATABASE_URL.',
    );
  }
  const account = accountNamed('postgres') ?? nobody;
  return { prefix: [], ...account, owner: account };
}

/** Gives a folder and all in it to the account, where it is not its own yet. */
export function handOver(folder: string, { owner }: PostgresAccount): void {
  if (process.getuid?.() !== 0 || statSync(folder).uid === owner.uid) return;
  const visit = (path: string): void => {
    const entry = lstatSync(path);
    if (entry.isSymbolicLink()) return;
    chownSync(path, owner.uid, owner.gid);
    if (entry.isDirectory()) for (const name of readdirSync(path)) visit(join(path, name));
  };
  visit(folder);
}

/** The first folder on the way to a path that accounts other than its owner may not enter. */
function closedAncestor(path: string): string | undefined {
  const above = dirname(path);
  if (above === path) return undefined;
  const state = statSync(above, { throwIfNoEntry: false });
  return closedAncestor(above) ?? (state !== undefined && (state.mode & 0o001) === 0 ? above : undefined);
}

function accountNamed(name: string): { uid: number; gid: number } | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((one) => one.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}
